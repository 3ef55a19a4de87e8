"""What kind a file is: by the ending of its name, and where that tells nothing, by how it begins."""

import codecs
import re
from dataclasses import dataclass
from pathlib import Path

from polyhead.corpora.compressed import COMPRESSED

HEAD = 4096
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
    """What to do with one that was given where lines of text are expected."""

    @property
    def refusal(self) -> str:
        """What to say there."""
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
"""Those in which a unit is a row, whose texts are named by their columns."""
ARCHIVES = (ZIP, TAR)
_OTHERS = (SUBTITLES, WORD, OPEN_DOCUMENT, SPREADSHEET)
_BY_ENDING = {ending: kind for kind in (*OF_PAIRS, *ARCHIVES, *_OTHERS) for ending in kind.endings}

_ROOT = re.compile(r"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*<(?:\w+:)?(tmx|xliff)[\s>]", re.DOTALL)
_PO = re.compile(r"(?:\s*(?:#[^\n]*)?\n)*\s*(?:msgctxt|msgid)[ \t]+\"")
_CUE = re.compile(r"\s*\d+\s*\n\s*\d{1,3}:\d\d:\d\d[,.]\d{1,3}\s*-->\s*\d")
_MIME_TYPE = b"mimetypeapplication/vnd.oasis.opendocument."


def kind_by_name(name: str) -> Kind | None:
    """What the ending of a name says; that of a compressed file stands before `.gz` and the like."""
    path = Path(name)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return _BY_ENDING.get(suffixes[-1]) if suffixes else None


def kind_by_content(head: bytes) -> Kind | None:
    """What the first bytes say; None for what may be lines of text, or a table, which can't be told from lines."""
    if head.startswith(b"PK\x03\x04"):
        return _in_zip(head)
    if head.startswith(b"PAR1"):
        return PARQUET
    if head.startswith(b"ARROW1"):
        return ARROW
    if head[257:262] == b"ustar":
        return TAR
    text = text_of(head)
    root = _ROOT.match(text)
    if root is not None:
        return TMX if root[1] == "tmx" else XLIFF
    if _PO.match(text):
        return PO
    if _CUE.match(text):
        return SUBTITLES
    return UTF_16 if _is_wide(head) else None


def _in_zip(head: bytes) -> Kind:
    """Office documents are zip archives, too."""
    if _MIME_TYPE in head[:200]:
        return OPEN_DOCUMENT if head[:200].partition(_MIME_TYPE)[2].startswith(b"text") else SPREADSHEET
    if b"[Content_Types].xml" in head[:200] or b"word/" in head:
        return SPREADSHEET if b"xl/" in head else WORD
    return ZIP


def _is_wide(head: bytes) -> bool:
    """Whether every other byte is often zero, as in Latin text in UTF-16, and there is no mark that says so."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    return any(half.count(0) > len(head) // 4 for half in (head[::2], head[1::2])) and len(head) > 1


def text_of(head: bytes) -> str:
    """A beginning as text, whatever its encoding: only what is ASCII in it matters."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "replace")
    if head[1:2] == b"\0" or head[:1] == b"\0":
        return head.decode("utf-16-le" if head[1:2] == b"\0" else "utf-16-be", "replace")
    return head.decode("utf-8-sig", "replace").replace("\r\n", "\n")
