"""PO, gettext's files of messages and their translations."""

import gettext
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from polyhead.corpora.compressed import read_whole
from polyhead.corpora.member import Member
from polyhead.corpora.unit import SOURCE, TARGET, Unit, Wanted, one_line
from polyhead.errors import DataError
from polyhead.extras import needing_extra

if TYPE_CHECKING:
    from polib import POEntry

_CHARSET = re.compile(rb"charset=([A-Za-z0-9_.:-]+)")
_PLACE = re.compile(r"\(?line:? (\d+)\)?:?\s*(.*)")
_PLURAL = re.compile(r"plural\s*=\s*([^;\\]+)")


def read_po(member: Member, wanted: Wanted) -> Iterator[Unit]:
    """The messages of a file: one unit for each, and for plurals one for each form and what it translates.

    The language of the translations is the one that the header names; that of the messages isn't said anywhere.
    Raises DataError, with the line, for what isn't PO; MissingExtra without polib.
    """
    del wanted
    with needing_extra(f"reading {member.name}"):
        import polib
    text = _decoded(member)
    try:
        # polib takes a text without a line break for a path.
        file = polib.pofile(text + "\n\n", check_for_duplicates=False, wrapwidth=0)
    except (OSError, ValueError) as error:
        found = _PLACE.search(str(error))
        reason, line = (found[2], int(found[1])) if found else ("", None)
        raise DataError(f"this is no PO file: {reason or 'it cannot be parsed'}", member.name, line) from error
    language = re.split("[.@]", file.metadata.get("Language", ""))[0].strip() or TARGET
    plural = _plural_form(file.metadata.get("Plural-Forms", ""))
    for number, entry in enumerate((entry for entry in file if not entry.obsolete), start=1):
        place = f"{member.name}:{entry.linenum} (message {number})"
        for source, target in _texts(entry, plural):
            yield Unit({SOURCE: one_line(source), language: one_line(target) or None}, place, not entry.fuzzy)


def _texts(entry: "POEntry", plural: Callable[[int], int]) -> Iterator[tuple[str, str]]:
    """The message and its translation; of one with a plural all forms."""
    if not entry.msgid_plural:
        yield entry.msgid, entry.msgstr
        return
    forms = {int(index): text for index, text in entry.msgstr_plural.items()}
    singular = plural(1)
    yield entry.msgid, forms.get(singular, "")
    others = [index for index in sorted(forms) if index != singular] or [singular]
    for index in others:
        yield entry.msgid_plural, forms.get(index, "")


def _plural_form(header: str) -> Callable[[int], int]:
    """Number → index of the form that goes with it, by the header; as in English where that says nothing usable."""
    found = _PLURAL.search(header)
    try:
        return gettext.c2py(found[1].strip() if found else "n != 1")
    except ValueError:
        return gettext.c2py("n != 1")


def _decoded(member: Member) -> str:
    """The whole file as text, in the encoding that its header names."""
    data = read_whole(member)
    if not data:
        raise DataError("the file is empty", member.name)
    named = _CHARSET.search(data)
    encoding = named[1].decode("ascii") if named and named[1] != b"CHARSET" else "utf-8"
    try:
        return data.decode("utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding)
    except LookupError as error:
        raise DataError(f"its header names the encoding {encoding}, which is unknown", member.name) from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"invalid {encoding}: byte 0x{data[error.start]:02X}; its header must name the encoding that it is in"
        raise DataError(message, member.name, line) from error
