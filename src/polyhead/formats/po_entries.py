"""The messages of a PO file, as polib reads them, and where each begins."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from polyhead.errors import DataError
from polyhead.extras import needing_extra

_LINE = re.compile(r'\s*(#.*|(msg\w+(\[\d+\])?\s*)?"(?:[^"\\]|\\.)*"\s*|)$')
_STRANGE = str.maketrans({c: chr(0xF0000 + i) for i, c in enumerate("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")})
"""What Python ends a line at and gettext doesn't."""
_BACK = {ord(stand_in): character for character, stand_in in _STRANGE.items()}


@dataclass(frozen=True)
class Entry:
    """A message, as far as it matters here."""

    line: int
    """That it begins in with its comments, counted from 1."""
    context: str
    message: str
    plural: str
    forms: tuple[str, ...]
    """Its translation, or that of each number."""
    is_obsolete: bool

    @property
    def has_any(self) -> bool:
        """Whether something of it is translated."""
        return any(self.forms)


def entries(text: str, name: str) -> list[Entry]:
    """All messages but the header, in order."""
    with needing_extra("reading PO files"):
        import polib
    try:
        read = polib.pofile(text.translate(_STRANGE) + "\n")  # a path has no line break: this is never taken for one
    except OSError as error:
        line = re.search(r"line (\d+)", str(error))
        why = str(error).partition(": ")[2] or "this is no line of a PO file"
        raise DataError(f"{why}; mend it (msgfmt -c says more)", name, int(line[1]) if line else None) from error
    found = list[Entry]()
    for entry in read:
        forms = tuple(entry.msgstr_plural.values()) if entry.msgid_plural else (entry.msgstr,)
        texts = (entry.msgctxt or "", entry.msgid, entry.msgid_plural or "")
        context, message, plural = (each.translate(_BACK) for each in texts)
        found.append(Entry(max(1, entry.linenum or 0), context, message, plural, forms, bool(entry.obsolete)))
    return sorted(found, key=lambda entry: entry.line)


def check_lines(lines: Sequence[str], name: str) -> None:
    """Raises DataError for what polib reads and gettext's own tools don't."""
    for number, line in enumerate(lines, start=1):
        if not _LINE.match(line):
            raise DataError("this is no line of a PO file; mend it (msgfmt -c says more)", name, number)
