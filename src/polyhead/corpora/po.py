"""PO, gettext's files of messages and their translations, read by the same code that translates them."""

import re
from collections.abc import Iterator

from polyhead.corpora.compressed import read_whole
from polyhead.corpora.member import Member
from polyhead.corpora.unit import SOURCE, TARGET, Unit, Wanted, one_line
from polyhead.errors import DataError
from polyhead.formats.po_entries import Entry, decoded_po, entries
from polyhead.formats.po_header import Header
from polyhead.formats.po_plurals import Plurals


def read_po(member: Member, wanted: Wanted) -> Iterator[Unit]:
    """The messages of a file: one unit for each, and for plurals one for each form and what it translates.

    The language of the translations is the one that the header names; that of the messages isn't said anywhere.
    Raises DataError, with the line, for what isn't PO; MissingExtra without polib.
    """
    del wanted
    data = read_whole(member)
    if not data:
        raise DataError("the file is empty", member.name)
    text, _, _ = decoded_po(data, member.name)
    messages = entries(text, member.name)
    header = Header.of(text.split("\n")[: messages[0].line - 1] if messages else [])
    language = re.split("[.@]", header.fields.get("Language", ""))[0].strip() or TARGET
    singular = _singular(header, member.name)
    for number, entry in enumerate((entry for entry in messages if not entry.is_obsolete), start=1):
        place = f"{member.name}:{entry.line} (message {number})"
        for source, target in _texts(entry, singular):
            yield Unit({SOURCE: one_line(source), language: one_line(target) or None}, place, not entry.is_fuzzy)


def _singular(header: Header, name: str) -> int:
    """The number of the plural form for one thing, by the header; 0, as in English, where it says nothing usable."""
    try:
        plurals = Plurals.read(header.fields.get("Plural-Forms", ""), name)
    except DataError:
        plurals = None
    return plurals.singular if plurals else 0


def _texts(entry: Entry, singular: int) -> Iterator[tuple[str, str]]:
    """A message and its translation; for a message with a plural, such a pair for each form."""
    if not entry.plural:
        yield entry.message, entry.forms[0]
        return
    forms = dict(enumerate(entry.forms))
    yield entry.message, forms.get(singular, "")
    for index in [index for index in forms if index != singular] or [singular]:
        yield entry.plural, forms.get(index, "")
