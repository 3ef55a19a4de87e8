"""What kind of file something is, by its name and its first bytes, and what to say where another kind was expected."""

import re
from pathlib import PurePath

from polyhead.errors import PolyheadError
from polyhead.formats.encoding import begun_text, begun_utf16
from polyhead.formats.kinds import FORMATS
from polyhead.formats.other_kinds import OTHERS
from polyhead.languages import is_language

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
_ENCRYPTED, _OLD_WORD = "EncryptedPackage".encode("utf-16-le"), "WordDocument".encode("utf-16-le")
"""What is inside a document with a password, which begins like an old one, and what is inside an old one."""
_MARKUP = re.compile(
    r"\s*+(?:<\?.*?\?>\s*+|<!--.*?-->\s*+|<!DOCTYPE\s+(?!html\b)[^>]*>\s*+)*+"
    r"<(?:(?:\w+:)?(?P<xliff>xliff)[\s>]|(?:\w+:)?(?P<tmx>tmx)[\s>]|(?P<html>!doctype\s+html\b|html[\s>]))",
    re.DOTALL | re.IGNORECASE,
)
"""The root of a document, behind whatever may stand before it."""
_XML = re.compile(r"\s*<\?xml\s")
_PO = re.compile(r"(?:\s*(?:#[^\n]*)?\n)*+\s*(?:msgctxt|msgid)[ \t]+\"")
_SRT = re.compile(r"\s*\d+[ \t]*\n\s*\d{1,3}:\d{1,2}:\d{1,2}[,.]\d{1,3}[ \t]*-->\s*\d")
_STRING = r'"(?:[^"\\]|\\.)*+"'
_JSON = re.compile(rf"\s*(?:\{{\s*{_STRING}\s*:|\[\s*\{{\s*{_STRING}\s*:|\[\s*{_STRING}\s*[,\]])")
_PART = re.compile(
    rb"PK\x03\x04.{26}(?:(word|xl|ppt)/|mimetypeapplication/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)(?!-))",
    re.DOTALL,
)
_OFFICE = {
    b"word": "docx",
    b"xl": "xlsx",
    b"ppt": "pptx",
    b"text": "odt",
    b"spreadsheet": "ods",
    b"presentation": "odp",
}


def recognise(name: str, beginning: bytes) -> str | None:
    """The kind of a file: one of `FORMATS`, or of `OTHERS`, such as gzip or parquet.

    name: the file's; it decides where what the file begins with doesn't speak against it. A language may stand behind
        the ending of a format (`index.html.de`); where it stands alone, as in `train.de`, the file is plain text
    beginning: `LOOKED_AT` bytes
    None where neither says anything; plain text is not recognised by its content.
    """
    by_name, path = _by_name(name), PurePath(name)
    has_language = by_name is None and is_language(path.suffix[1:])
    if has_language:
        by_name = _by_name(path.stem)
    by_content = _by_signature(beginning)
    if by_content == "zip":
        kind = _in_zip(beginning)
        return by_name if kind == "zip" and by_name in ("docx", "odt") else kind
    if by_content == "doc" and (_ENCRYPTED in beginning or (by_name == "docx" and _OLD_WORD not in beginning)):
        return "locked"
    if by_content is not None:
        return by_content
    found = by_name or _by_text(beginning)
    if found is None and has_language and "\0" not in begun_text(beginning):
        return "text"
    return found


def kind_of(name: str, content: bytes) -> str:
    """The format of a file that is to be translated. Raises PolyheadError where it has none, with what to do."""
    kind = recognise(name, content[:LOOKED_AT])
    if kind is not None:
        if kind in FORMATS:
            return kind
        raise PolyheadError(f"{name}: it is {OTHERS[kind].title}, which is not translated here; {OTHERS[kind].advice}")
    endings = ", ".join(form.suffixes[0] for form in FORMATS.values())
    raise PolyheadError(
        f"{name}: neither its name nor its content says what it is; give its name the ending of its format: {endings}"
    )


def instead_of_lines(name: str, beginning: bytes, command: str | None = None) -> str | None:
    """What to say of a file that was given as lines of text but is something else; None for lines of text.

    beginning: `LOOKED_AT` bytes of it
    command: what to type for a file that can be translated with its form kept; None: `polyhead translate` with it
    """
    kind = recognise("", beginning)
    if kind is None and (encoding := begun_utf16(beginning)):
        named = encoding.upper().replace("16-", "16")  # as iconv knows it
        return f"it is {named} without a byte order mark; convert it: iconv -f {named} -t UTF-8"
    if kind is None:
        return None
    if kind in FORMATS:
        typed = command or f"polyhead translate MODEL {name} --out OUT"
        return f"its format is {FORMATS[kind].title}, not lines of text; to translate it with its form kept: {typed}"
    return f"it is {OTHERS[kind].title}, not lines of text; {OTHERS[kind].advice}"


def _by_name(name: str) -> str | None:
    return next((kind for kind, form in FORMATS.items() if name.lower().endswith(form.suffixes)), None)


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
    return _OFFICE[found[1] or found[2]]


def _by_text(beginning: bytes) -> str | None:
    text = begun_text(beginning)
    if text.startswith("WEBVTT") and not text[6:7].isalnum():
        return "vtt"
    root = _MARKUP.match(text)
    if root is not None and root.lastgroup:
        return root.lastgroup
    if _XML.match(text):
        return "xml"
    if _SRT.match(text):
        return "srt"
    if _PO.match(text):
        return "po"
    return "json" if _JSON.match(text) else None
