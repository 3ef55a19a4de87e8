"""What kind a file is: by the ending of its name, and where that tells nothing, by how it begins."""

from dataclasses import dataclass
from pathlib import Path

from polyhead.corpora.compressed import COMPRESSED
from polyhead.formats.encoding import begun_utf16
from polyhead.formats.other_kinds import OTHERS
from polyhead.formats.recognising import LOOKED_AT, recognise

HEAD = LOOKED_AT
"""Bytes of a file's beginning that tell what kind it is."""


@dataclass(frozen=True)
class Kind:
    """A kind of file."""

    name: str
    title: str
    """What messages call such a file: "a TMX file"."""
    endings: tuple[str, ...]
    """How the names of such files end."""
    advice: str = "`polyhead train` and `polyhead check` read it with --pairs"
    """What messages advise for such a file where lines of text are expected."""

    @property
    def refusal(self) -> str:
        """The message about such a file where lines of text are expected."""
        return f"this is {self.title}, where a sentence a line is expected; {self.advice}"


_AS_TEXT = "save it as text in UTF-8"

TMX = Kind("tmx", "a TMX file", (".tmx",))
XLIFF = Kind("xliff", "an XLIFF file", (".xlf", ".xliff"))
PO = Kind("po", "a PO file", (".po", ".pot"))
CSV = Kind("csv", "a CSV file", (".csv",))
TSV = Kind("tsv", "a TSV file", (".tsv", ".tab"))
JSONL = Kind("jsonl", "a JSON Lines file", (".jsonl", ".ndjson", ".json"))
PARQUET = Kind("parquet", "a Parquet file", (".parquet",))
ARROW = Kind("arrow", "an Arrow file", (".arrow", ".feather"))
SUBTITLES = Kind("subtitles", "a file of subtitles", (".srt",), "--source and --target must both be .srt files")
LINES = Kind("lines", "a file of lines", ())
ZIP = Kind("zip", "a zip archive", (".zip",))
TAR = Kind("tar", "a tar archive", (".tar", ".tgz", ".tbz2", ".txz", ".tzst"))
WORD = Kind("docx", "a Word document", (".docx",), _AS_TEXT)
OPEN_DOCUMENT = Kind("odt", "an OpenDocument text", (".odt",), _AS_TEXT)
SPREADSHEET = Kind("xlsx", "a spreadsheet", (".xlsx", ".xls", ".ods"), _AS_TEXT)
UTF_16 = Kind("utf-16", "UTF-16 without a byte order mark", (), _AS_TEXT)

OF_PAIRS = (TMX, XLIFF, PO, CSV, TSV, JSONL, PARQUET, ARROW)
"""Kinds of which one file holds both sides."""
TABLES = (CSV, TSV, JSONL, PARQUET, ARROW)
"""Kinds in which a unit is a row, whose texts are named by their columns."""
ARCHIVES = (ZIP, TAR)
_OTHERS = (SUBTITLES, WORD, OPEN_DOCUMENT, SPREADSHEET)
_BY_ENDING = {ending: kind for kind in (*OF_PAIRS, *ARCHIVES, *_OTHERS) for ending in kind.endings}

_RECOGNISED = {kind.name: kind for kind in (*OF_PAIRS, *ARCHIVES, *_OTHERS)} | {"srt": SUBTITLES, "ods": SPREADSHEET}
_WITHOUT_TEXT = {
    name: Kind(name, OTHERS[name].title, (), OTHERS[name].advice)
    for name in ("7z", "pdf", "doc", "locked", "rtf", "pptx", "odp", "sqlite")
}
"""Kinds of files that hold neither lines of text nor pairs, by their names in `OTHERS`."""


def kind_by_name(name: str) -> Kind | None:
    """The kind that a name's ending tells; for a compressed file, the ending before `.gz` and the like."""
    path = Path(name)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return _BY_ENDING.get(suffixes[-1]) if suffixes else None


def kind_by_content(head: bytes) -> Kind | None:
    """The kind that the first bytes tell; None for lines of text, and for tables, which can't be told from lines."""
    name = recognise("", head) or ""
    kind = _RECOGNISED.get(name) or _WITHOUT_TEXT.get(name)
    return UTF_16 if kind is None and begun_utf16(head) else kind
