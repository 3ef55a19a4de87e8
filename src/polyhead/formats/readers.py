"""What reads each format. A new format is a function that reads it, its line here, and its line in `kinds`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from polyhead.formats.document import Document, Source
from polyhead.formats.docx import read_docx
from polyhead.formats.html_document import read_html
from polyhead.formats.json_strings import read_json
from polyhead.formats.markdown import read_markdown
from polyhead.formats.odt import read_odt
from polyhead.formats.plain import read_plain
from polyhead.formats.po import read_po
from polyhead.formats.subtitles import read_srt, read_vtt
from polyhead.formats.tmx import read_tmx
from polyhead.formats.xliff import read_xliff
from polyhead.formats.yaml_strings import read_yaml
from polyhead.inline.find import Kind


@dataclass(frozen=True)
class Reader:
    """How the files of a format are read."""

    read: Callable[[Source], Document]
    """Reads a file. Raises PolyheadError for a file that is damaged or isn't of this kind."""
    placeholders: tuple[Kind, ...] = ()
    """Kinds of placeholders that its texts usually have."""


_SOFTWARE: tuple[Kind, ...] = ("printf", "braces", "tags", "entities", "escapes")
"""What the texts of programs have in them."""

READERS: Mapping[str, Reader] = {
    "html": Reader(read_html, ("braces",)),
    "po": Reader(read_po, _SOFTWARE),
    "xliff": Reader(read_xliff, _SOFTWARE),
    "tmx": Reader(read_tmx, _SOFTWARE),
    "docx": Reader(read_docx),
    "odt": Reader(read_odt),
    "md": Reader(read_markdown, ("braces",)),
    "srt": Reader(read_srt),
    "vtt": Reader(read_vtt),
    "json": Reader(read_json, _SOFTWARE),
    "yaml": Reader(read_yaml, _SOFTWARE),
    "text": Reader(read_plain),
}
"""Kind, as in `FORMATS` → reader."""
