"""PO and POT, gettext's files: what has no translation gets one, marked as fuzzy; all other lines stay as they are."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from polyhead.errors import DataError
from polyhead.formats.document import Source, TextDocument
from polyhead.formats.encoding import Encoding
from polyhead.formats.icu import is_icu_choice, left_choice
from polyhead.formats.po_entries import Entry, check_lines, decoded_po, entries
from polyhead.formats.po_header import Header, needed
from polyhead.formats.po_plurals import Plurals
from polyhead.formats.splicing import Lines, Region, Spliced, constant
from polyhead.formats.unit import Answered, Unit, without_margins
from polyhead.inline.codes import Marked

_HEADER = re.compile(r'^msgid\s+""\s*\nmsgstr', re.MULTILINE)


def read_po(source: Source) -> TextDocument:
    """A PO or POT file. Raises DataError for one that is damaged or has translations into another language."""
    text, encoding, declared = decoded_po(source.content, source.name)
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    check_lines(lines, source.name)
    messages = entries(text, source.name)
    first = messages[0].line - 1 if messages else len(lines)
    header = Header.of([line.rstrip("\r\n") for line in lines[:first]])
    misplaced = _HEADER.search(text)
    if misplaced and not header.lines:
        message = "the header is not the first entry; put it there: msgcat FILE -o FILE"
        raise DataError(message, source.name, Lines(text).number(misplaced.start()))
    plurals = Plurals.read(header.fields.get("Plural-Forms", ""), source.name) or Plurals.of(source.target_language)
    values = needed(header, source.target_language, plurals, any(entry.has_any for entry in messages), source.name)
    starts = Lines(text).starts
    end_of_line = "\r\n" if "\r\n" in text else "\n"
    notes = tuple(
        (entry.line, left_choice(entry.context)) for entry in messages if entry.is_open and is_icu_choice(entry.message)
    )
    regions = list(_entry_regions(text, lines, starts, messages, plurals, end_of_line))
    new_header = header.changed(values)
    if values or list(header.lines) != new_header:
        end = sum(map(len, lines[: len(header.lines)]))
        written = end_of_line.join([*new_header, *([] if header.lines else ["", ""])])
        ended = header.lines and text[:end].endswith("\n")
        regions.insert(0, Region(0, end, (), constant(written + (end_of_line if ended else ""))))
    encoding = Encoding("utf-8", encoding.mark) if declared else encoding
    return TextDocument(Spliced(text, tuple(regions)), encoding, notes)


def _entry_regions(
    text: str, lines: Sequence[str], starts: Sequence[int], messages: Sequence[Entry], plurals: Plurals, eol: str
) -> Iterator[Region]:
    """The regions of the messages that aren't translated, or not in all numbers."""
    for entry, following in pairwise([*messages, None]):
        if entry is None or not entry.is_open or is_icu_choice(entry.message):
            continue
        begin, end = entry.line - 1, following.line - 1 if following else len(lines)
        last = max((i for i in range(begin, end) if lines[i].lstrip().startswith(("msg", '"'))), default=begin)
        own = [line.rstrip("\r\n") for line in lines[begin : last + 1]]
        place = starts[begin], starts[begin] + sum(map(len, lines[begin : last + 1]))
        ended = eol if lines[last].endswith("\n") else ""
        writer = _Writer(tuple(own), entry, plurals, eol, ended)
        message = next((i for i, line in enumerate(own) if line.lstrip().startswith("msgid")), 0)
        yield Region(*place, writer.units(entry.line + message), writer)


@dataclass(frozen=True)
class _Writer:
    """Writes a message's lines with its translation."""

    lines: tuple[str, ...]
    entry: Entry
    plurals: Plurals
    end_of_line: str
    ended: str
    """What the last line ends in: a line break, or nothing at the end of a file without one."""

    def units(self, line: int) -> tuple[Unit, ...]:
        """The text to be translated, and its plural if it has one: that alone where the language has no singular."""
        texts = [self.entry.message] if not self.entry.plural or self.plurals.count > 1 else []
        texts += [self.entry.plural] if self.entry.plural else []
        return tuple(without_margins(Marked(text), line, self.entry.context) for text in texts)

    def __call__(self, answers: Sequence[Answered]) -> str:
        first = next(i for i, line in enumerate(self.lines) if line.lstrip().startswith("msg"))
        message = next((i for i, line in enumerate(self.lines) if line.lstrip().startswith("msgstr")), len(self.lines))
        problems = dict.fromkeys(problem for answer in answers for problem in answer.problems)
        notes = [f"# polyhead: {' '.join(problem.split())}" for problem in problems]
        comments = _fuzzy(self.lines[:first])
        written = [*notes, *comments, *self.lines[first:message], *self._translation(answers)]
        return self.end_of_line.join(written) + self.ended

    def _translation(self, answers: Sequence[Answered]) -> Iterator[str]:
        texts = [answer.proposed.written() for answer in answers]
        if not self.entry.plural:
            yield from _quoted("msgstr", texts[0])
            return
        for number in range(self.plurals.count):
            had = self.entry.forms[number] if number < len(self.entry.forms) else ""
            new = texts[0 if number == self.plurals.singular else -1]
            yield from _quoted(f"msgstr[{number}]", had or new)


def _fuzzy(comments: Sequence[str]) -> list[str]:
    """The comments of a message, with the flag `fuzzy`."""
    flags = next((i for i, line in enumerate(comments) if line.startswith("#,")), None)
    if flags is None:
        previous = next((i for i, line in enumerate(comments) if line.startswith("#|")), len(comments))
        return [*comments[:previous], "#, fuzzy", *comments[previous:]]
    own = comments[flags]
    if "fuzzy" not in [flag.strip() for flag in own[2:].split(",")]:
        own = f"#, fuzzy,{own[2:]}"
    return [*comments[:flags], own, *comments[flags + 1 :]]


def _quoted(keyword: str, text: str) -> Iterator[str]:
    """A keyword with its text: on one line, or with a line for each line of the text."""
    import polib

    parts = [part for part in re.findall(r"[^\n]*\n|[^\n]+", text) if part]
    if len(parts) <= 1:
        yield f'{keyword} "{polib.escape(text)}"'
        return
    yield f'{keyword} ""'
    for part in parts:
        yield f'"{polib.escape(part)}"'
