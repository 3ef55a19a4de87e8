"""CSV and TSV: a row is a unit, and its columns have names or numbers."""

import csv
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from polyhead.corpora.choosing import column_named, is_code, listed
from polyhead.corpora.member import Member
from polyhead.corpora.text_lines import text_lines
from polyhead.corpora.unit import SOURCE, TARGET, Unit, Wanted, one_line
from polyhead.errors import DataError, shown

_ROLES = frozenset([SOURCE, TARGET, "src", "tgt", "trg"])
"""Names of columns that say what is in them without saying its language."""
_MOST_DIGITS = 9
Row = tuple[int, list[str]]
"""A line number and the cells that begin there."""


def read_csv(member: Member, wanted: Wanted) -> Iterator[Unit]:
    """The rows of a file of comma-separated values (RFC 4180), or of values separated by semicolons or tabs."""
    lines = text_lines(member)
    first = next(lines)
    separator = max(",;\t", key=first.count)
    yield from _units(_quoted(chain([first], lines), separator, member), member, wanted)


def read_tsv(member: Member, wanted: Wanted) -> Iterator[Unit]:
    """The rows of a file of tab-separated values, in which quotation marks are text."""
    rows = ((number, line.split("\t")) for number, line in enumerate(text_lines(member), start=1))
    yield from _units(rows, member, wanted)


def _quoted(lines: Iterator[str], separator: str, member: Member) -> Iterator[Row]:
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator, strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:  # nothing at all on a line is no row
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(
            f"this row is no CSV ({error}); is a quotation mark missing, or one too many?", member.name, line
        ) from error


def _units(rows: Iterator[Row], member: Member, wanted: Wanted) -> Iterator[Unit]:
    start = list(islice(rows, 1))
    if not start:
        raise DataError("the file is empty", member.name)
    first = start[0][1]
    names = _header(first, wanted, member)
    for line, cells in chain([] if names else start, rows):
        named = names or [str(number) for number in range(1, len(first) + 1)]
        if len(cells) != len(named):
            message = f"this row has {len(cells)} columns, and the first has {len(named)}; is a separator missing?"
            raise DataError(message, member.name, line)
        yield Unit({name: one_line(cell) for name, cell in zip(named, cells, strict=True)}, f"{member.name}:{line}")


def _header(cells: Sequence[str], wanted: Wanted, member: Member) -> list[str] | None:
    """The names of the columns, where the first row has them; None where that is a row like any other.

    Raises DataError where a wanted column doesn't exist, or where it isn't certain which columns are meant.
    """
    names = [cell.strip() for cell in cells]
    if wanted.columns is not None:
        if all(_is_number(column) and 0 < int(column) <= len(names) for column in wanted.columns):
            return None
        missing = [column for column in wanted.columns if column_named(names, column) is None]
        if missing:
            raise DataError(
                f"there is no column {shown(missing[0])}; the first row has {listed(names)}. "
                "Columns may be numbers from 1 on where it names none",
                member.name,
                1,
            )
        return names
    if len({name for name in names if is_code(name)}) >= 2 or {name.lower() for name in names} & _ROLES:
        return [name.lower() if name.lower() in _ROLES else name for name in names]
    if len(names) != 2:
        raise DataError(
            f"of {len(names)} columns, {listed(names)}, two must be meant; name them with --columns", member.name, 1
        )
    return None


def _is_number(column: str) -> bool:
    """Whether a column is given by its number, of no more digits than a file can have columns."""
    return column.isascii() and column.isdecimal() and len(column) <= _MOST_DIGITS
