"""Parallel text as people have it: files that hold both sides, in many formats, compressed, in archives, in folders.

A path becomes parts (`parts`): one file, those of a directory, a pattern, a zip or a tar (`archives`), files that
belong together because their names differ in the language alone, or a data set that Hugging Face's `datasets` saved.
The kind of a file is told by its name, else by its beginning (`kinds`).

Each format is a file here with one function, `(member, wanted) → units`: `tmx` and `xliff` (over `xml`), `po`, `tables`
(CSV and TSV), `json_lines`, `arrow` (Parquet, too). A `Unit` is text by language or by the name of its column, and its
place for messages. `aligned` reads two files line by line and `subtitles` two by the times of their `cues`. `choosing`
decides which two texts of a unit are the pair, and `read` puts it all together.

Bytes come through `compressed` alone, which decompresses them and bounds what they may become; an archive's members are
read where they are and never unpacked under their names. All formats but PO, subtitles and lists in JSON are read as a
stream: a memory in TMX has gigabytes, of which `polyhead.formats` would make a tree. Small files are read, and kinds
recognised, by the code of `polyhead.formats`, which translates such files.

Nothing here knows of training: `data/readers/` makes pairs of what is read here.
"""

from polyhead.corpora.read import FORMATS, languages_of, read_corpus
from polyhead.corpora.unit import Flaw, Translation, Wanted

__all__ = ["FORMATS", "Flaw", "Translation", "Wanted", "languages_of", "read_corpus"]
