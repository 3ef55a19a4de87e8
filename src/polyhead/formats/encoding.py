"""From bytes to text and back, in the encoding and with the byte order mark that a file has."""

import codecs
from dataclasses import dataclass

from polyhead.errors import DataError

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NO_FILES = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape", "utf-7"})
"""What Python calls encodings and no file is in: some can't write every text, others read halves of characters."""


@dataclass(frozen=True)
class Encoding:
    """How a file writes its text."""

    name: str
    mark: bytes = b""
    """The byte order mark that the file begins with, if any."""

    def encoded(self, text: str) -> bytes:
        """The file's bytes. A character that the encoding doesn't have is written as markup does, by its number."""
        return self.mark + text.encode(self.name, "xmlcharrefreplace")


def decoded(content: bytes, name: str, declared: str | None = None) -> tuple[str, Encoding]:
    """A file's text and its encoding: by its mark, else UTF-16 if it looks like that, else as declared, else UTF-8.

    name: the file's, for messages. Raises DataError for an unknown encoding, and where the file is not in its encoding.
    """
    mark, encoding = next(((mark, found) for mark, found in _MARKS if content.startswith(mark)), (b"", None))
    if encoding is None:
        encoding = unmarked_utf16(content) or _known(declared, name) or "utf-8"
    try:
        return content[len(mark) :].decode(encoding), Encoding(encoding, mark)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, len(mark) + error.start) + 1
        message = f"it is not {encoding.upper()}: byte {len(mark) + error.start + 1} cannot be; save the file as UTF-8"
        raise DataError(message, name, line) from error


def unmarked_utf16(content: bytes) -> str | None:
    """Which UTF-16 a text without a byte order mark seems to be in; None where it doesn't seem to be UTF-16.

    Text has ASCII in it, at least line ends and spaces, and never the character NUL. What could be UTF-8 is taken
    for UTF-8, unless it has as many control characters as UTF-16 makes of letters.
    """
    sample = content[: 1 << 16]
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return None
    if len(content) % 2 or not sample.count(0) or (_is_utf8(sample) and 10 * _controls(sample) < 3 * len(sample)):
        return None
    for encoding, zeros, others in (("utf-16-le", sample[1::2], sample[::2]), ("utf-16-be", sample[::2], sample[1::2])):
        if zeros.count(0) * 10 >= len(zeros) and not _has_nul(sample, encoding) and others.count(0) <= zeros.count(0):
            return encoding
    return None


def begun_utf16(beginning: bytes) -> str | None:
    """`unmarked_utf16` for the beginning of a file, which may end within a character."""
    return unmarked_utf16(beginning[: len(beginning) // 2 * 2])


def begun_text(beginning: bytes) -> str:
    r"""The beginning of a file as text, by its mark or as it looks, with "\n" at the ends of its lines.

    What can't be read in it becomes U+FFFD: enough to see what kind of file it is, whatever encoding it declares.
    """
    mark, encoding = next(((mark, found) for mark, found in _MARKS if beginning.startswith(mark)), (b"", None))
    text = beginning[len(mark) :].decode(encoding or begun_utf16(beginning) or "utf-8", "replace")
    return text.replace("\r\n", "\n")


def _is_utf8(sample: bytes) -> bool:
    """Whether a file that begins so may be UTF-8: a character may be cut at the end."""
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > len(sample) - 4
    return True


def _controls(sample: bytes) -> int:
    """How many bytes are control characters that text doesn't have."""
    return sum(sample.count(byte) for byte in range(32) if byte not in b"\t\n\r")


def _has_nul(sample: bytes, encoding: str) -> bool:
    return "\0" in sample.decode(encoding, errors="replace")


def _known(declared: str | None, name: str) -> str | None:
    """The name that Python has for an encoding, which must write ASCII as ASCII: its declaration was read so."""
    if not declared:
        return None
    try:
        found = codecs.lookup(declared).name
        ascii_alike = found not in _NO_FILES and "<a>".encode(found) == b"<a>"
    except (LookupError, UnicodeError, ValueError):
        found, ascii_alike = "", False
    if ascii_alike:
        return found
    if declared.lower().startswith("utf-16"):
        return None
    raise DataError(f"its encoding {declared[:40]!r} is not known; save the file as UTF-8, and say so in it", name)
