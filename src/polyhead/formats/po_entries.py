"""The messages of a PO file, as polib reads them, and where each begins; to translate them, and to learn from them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from polyhead.errors import DataError
from polyhead.extras import needing_extra
from polyhead.formats.encoding import Encoding, decoded

_LINE = re.compile(r'\s*(#.*|(msg\w+(\[\d+\])?\s*)?"(?:[^"\\]|\\.)*"\s*|)$')
_CHARSET = re.compile(rb'(?:"|\\n)Content-Type:[^"]{0,200}?charset=([\w.:-]+)')
_REMARK = re.compile(r"^#(?![\s.:,|~#])", re.MULTILINE)
"""A comment without a space, which polib doesn't know."""
_STRANGE = str.maketrans({c: chr(0xF0000 + i) for i, c in enumerate("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")})
"""What Python ends a line at and gettext doesn't."""
_BACK = {ord(stand_in): character for character, stand_in in _STRANGE.items()}


@dataclass(frozen=True)
class Entry:
    """A message, as far as it matters here."""

    line: int
    """The line that the message begins in with its comments, counted from 1."""
    context: str
    message: str
    plural: str
    forms: tuple[str, ...]
    """The message's translation, or that of each plural form."""
    is_obsolete: bool
    is_fuzzy: bool

    @property
    def is_open(self) -> bool:
        """Whether the message, or a plural form of it, is still to be translated."""
        return not self.is_obsolete and bool(self.message) and not (self.forms and all(self.forms))

    @property
    def has_any(self) -> bool:
        """Whether the message, or a plural form of it, is translated."""
        return any(self.forms)


def entries(text: str, name: str) -> list[Entry]:
    """All messages of a PO file but the header, in order. Raises DataError for a damaged file."""
    with needing_extra(f"reading {name}"):
        import polib
    try:
        readable = _REMARK.sub("# ", text.translate(_STRANGE))
        read = polib.pofile(readable + "\n")  # a line break: polib takes no text with one for a path
    except (OSError, ValueError) as error:
        line = re.search(r"line (\d+)", str(error))
        why = str(error).partition(": ")[2] or "this is no line of a PO file"
        raise DataError(f"{why}; mend it (msgfmt -c says more)", name, int(line[1]) if line else None) from error
    found = list[Entry]()
    for entry in read:
        forms = tuple(entry.msgstr_plural.values()) if entry.msgid_plural else (entry.msgstr,)
        texts = (entry.msgctxt or "", entry.msgid, entry.msgid_plural or "")
        context, message, plural = (each.translate(_BACK) for each in texts)
        forms = tuple(form.translate(_BACK) for form in forms)
        line = max(1, entry.linenum or 0)
        found.append(Entry(line, context, message, plural, forms, bool(entry.obsolete), entry.fuzzy))
    return sorted(found, key=lambda entry: entry.line)


def decoded_po(content: bytes, name: str) -> tuple[str, Encoding, str | None]:
    """A PO file's text, its encoding, and the name of the one that its header declares, if any. Raises DataError."""
    found = _CHARSET.search(content)
    declared = found[1].decode("ascii") if found and found[1] != b"CHARSET" else None
    return *decoded(content, name, declared), declared


def check_lines(lines: Sequence[str], name: str) -> None:
    """Raises DataError for what polib reads and gettext's own tools don't."""
    for number, line in enumerate(lines, start=1):
        if not _LINE.match(line):
            raise DataError("this is no line of a PO file; mend it (msgfmt -c says more)", name, number)
