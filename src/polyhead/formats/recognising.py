"""What kind of file something is, by its name and its first bytes, and what to say where another kind was expected."""

import re

from polyhead.errors import PolyheadError
from polyhead.formats.encoding import unmarked_utf16
from polyhead.formats.kinds import FORMATS

LOOKED_AT = 1 << 16
"""Bytes at the beginning of a file that its kind is recognised by."""
_SIGNATURES = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh91AY&SY", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"PAR1\x15", "parquet"),
    (b"ARROW1\0\0", "arrow"),
    (b"%PDF-", "pdf"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "doc"),
    (b"SQLite format 3\0", "sqlite"),
    (b"{\\rtf", "rtf"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
)
_MARKUP = (
    (re.compile(r"<(?:\w+:)?xliff[\s>]"), "xliff"),
    (re.compile(r"<tmx[\s>]"), "tmx"),
    (re.compile(r"<!doctype html|<html[\s>]", re.IGNORECASE), "html"),
)
_XML = re.compile(r"\s*<\?xml\s")
_PO = (re.compile(r'^msgid[ \t]+"', re.MULTILINE), re.compile(r'^msgstr(?:\[0\])?[ \t]+"', re.MULTILINE))
_SRT = re.compile(r"\s*\d+[ \t]*\r?\n\d{1,3}:\d\d:\d\d[,.]\d{1,3}[ \t]*-->")
_STRING = r'"(?:[^"\\]|\\.)*+"'
_JSON = re.compile(rf"\s*(?:\{{\s*{_STRING}\s*:|\[\s*\{{\s*{_STRING}\s*:|\[\s*{_STRING}\s*[,\]])")
_PART = re.compile(
    rb"PK\x03\x04.{26}(?:(?P<folder>word|xl|ppt)/|(?P<odt>mimetypeapplication/vnd\.oasis\.opendocument\.text(?!-)))",
    re.DOTALL,
)
_FOLDERS = {b"word": "docx", b"xl": "xlsx", b"ppt": "pptx"}


def recognise(name: str, beginning: bytes) -> str | None:
    """The kind of a file: one of `FORMATS`, or a kind that has no text to be translated here, such as gzip or parquet.

    name: the file's; it decides where what the file begins with doesn't speak against it. beginning: `LOOKED_AT` bytes
    None where neither says anything; plain text is not recognised by its content.
    """
    by_name = next((kind for kind, form in FORMATS.items() if name.lower().endswith(form.suffixes)), None)
    by_content = _by_signature(beginning)
    if by_content == "zip":
        kind = _in_zip(beginning)
        return by_name if kind == "zip" and by_name in ("docx", "odt") else kind
    if by_content is not None:
        return by_content
    return by_name or _by_text(beginning)


def kind_of(name: str, content: bytes) -> str:
    """The format of a file that is to be translated. Raises PolyheadError where it has none, with what to do."""
    kind = recognise(name, content[:LOOKED_AT])
    if kind is not None:
        if kind in FORMATS:
            return kind
        raise PolyheadError(f"{name}: it is {_TITLES[kind]}, which is not translated here; {_ADVICE[kind]}")
    kinds = ", ".join(FORMATS)
    raise PolyheadError(f"{name}: neither its name nor its content says what it is; name its format, one of {kinds}")


def instead_of_lines(name: str, beginning: bytes, command: str | None = None) -> str | None:
    """What to say where a file was given whose lines are sentences, and it is something else; None for plain text.

    beginning: `LOOKED_AT` bytes of it
    command: what to type for a file that can be translated with its form kept; None: `polyhead translate` with it
    """
    kind = recognise("", beginning)
    if kind is None and (encoding := unmarked_utf16(beginning[: len(beginning) // 2 * 2])):
        named = encoding.upper().replace("16-", "16")  # as iconv knows it
        return f"it is {named} without a byte order mark; convert it: iconv -f {named} -t UTF-8"
    if kind is None:
        return None
    if kind in FORMATS:
        typed = command or f"polyhead translate MODEL {name} --out OUT"
        return f"its format is {FORMATS[kind].title}, not lines of text; to translate it with its form kept: {typed}"
    return f"it is {_TITLES[kind]}, not lines of text; {_ADVICE[kind]}"


def _by_signature(beginning: bytes) -> str | None:
    if beginning.startswith((b"PK\3\4", b"PK\5\6")):
        return "zip"
    if beginning[257:262] == b"ustar":
        return "tar"
    return next((kind for signature, kind in _SIGNATURES if beginning.startswith(signature)), None)


def _in_zip(beginning: bytes) -> str:
    """What kind of document a zip archive is, by the names of its first parts."""
    found = _PART.search(beginning)
    if found is None:
        return "zip"
    return "odt" if found["odt"] else _FOLDERS[found["folder"]]


def _by_text(beginning: bytes) -> str | None:
    text = _decoded(beginning)
    if text.startswith("WEBVTT") and not text[6:7].isalnum():
        return "vtt"
    head = text[:4096]
    for pattern, kind in _MARKUP:
        if head.lstrip().startswith("<") and pattern.search(head):
            return kind
    if _XML.match(head):
        return "xml"
    if _SRT.match(head):
        return "srt"
    if all(pattern.search(text) for pattern in _PO):
        return "po"
    return "json" if _JSON.match(head) else None


def _decoded(beginning: bytes) -> str:
    """The beginning as text; what can't be read in it doesn't matter."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8")):
        if beginning.startswith(mark):
            return beginning[len(mark) :].decode(encoding, "replace")
    return beginning.decode(unmarked_utf16(beginning[: len(beginning) // 2 * 2]) or "utf-8", "replace")


_UNPACK = "unpack it first"
_TITLES = {
    "gzip": "compressed with gzip",
    "bzip2": "compressed with bzip2",
    "xz": "compressed with xz",
    "zstd": "compressed with zstd",
    "zip": "a zip archive",
    "7z": "a 7z archive",
    "tar": "a tar archive",
    "parquet": "a Parquet table",
    "arrow": "an Arrow table",
    "pdf": "a PDF document",
    "doc": "an old Word, Excel or PowerPoint document",
    "rtf": "an RTF document",
    "xlsx": "an Excel workbook",
    "pptx": "a PowerPoint presentation",
    "sqlite": "an SQLite database",
    "xml": "XML of a kind that is not known here",
}
_ADVICE = {
    "gzip": f"{_UNPACK}, or give its name the ending .gz",
    "bzip2": f"{_UNPACK}: bunzip2",
    "xz": f"{_UNPACK}, or give its name the ending .xz",
    "zstd": f"{_UNPACK}, or give its name the ending .zst",
    "zip": f"{_UNPACK}: unzip",
    "7z": f"{_UNPACK}: 7z x",
    "tar": f"{_UNPACK}: tar xf",
    "parquet": "write the column with the text as lines first",
    "arrow": "write the column with the text as lines first",
    "pdf": "save it as .docx or .odt, or its text as .txt",
    "doc": "save it as .docx or .odt",
    "rtf": "save it as .docx or .odt",
    "xlsx": "save the sheet as .csv, or its texts as .txt",
    "pptx": "save its texts as .docx or .txt",
    "sqlite": "write the column with the text as lines first",
    "xml": "XLIFF and TMX are",
}
