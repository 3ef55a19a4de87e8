"""Tables of words: text files with one entry a line, its cells between tabs, under a line that names the columns.

The columns are the parameters of the class or function that makes an entry. A cell of "-" leaves a parameter at its
default. A cell can list several words, as in "milk, @fruits": "@" begins the name of a group, which stands for all of
its members.
"""

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import TypeVar

Entry = TypeVar("Entry")
Word = TypeVar("Word")
Meaning = Callable[[str], object]
"""What the text of a cell stands for. It raises ValueError for a text that stands for nothing."""

_LEFT_OUT = "-"
_GROUP = "@"


def read(file: Path, make: Callable[..., Entry], /, *, key: int = 1, **meanings: Meaning) -> dict[str, Entry]:
    """Return the entries of a table in their order, by the text of their first `key` cells.

    A column without a meaning holds plain text. Raises ValueError, with the file and the line, where the columns aren't
    the parameters of `make`, a cell is missing, empty or means nothing, or a key stands a second time.
    """
    columns = signature(make).parameters
    if unknown := meanings.keys() - columns.keys():
        raise TypeError(f"there is no column {', '.join(unknown)}")
    names, entries = list(columns), dict[str, Entry]()
    for number, line in enumerate(file.read_text(encoding="utf-8").removesuffix("\n").split("\n"), start=1):
        try:
            if number == 1:
                names = _names(line.split("\t"), names)
                continue
            cells = _cells(line, len(names))
            name = " ".join(cells[:key])
            if name in entries:
                raise ValueError(f"{name!r} stands here a second time")
            entries[name] = make(**_values(zip(names, cells, strict=True), columns, meanings))
        except ValueError as wrong:
            raise ValueError(f"{file}, line {number}: {wrong}") from wrong
    return entries


def read_groups(file: Path, words: Mapping[str, Word], /) -> dict[str, tuple[Word, ...]]:
    """Return groups of words by name. A group may hold groups that stand above it. Raises ValueError as `read` does."""
    groups: dict[str, tuple[Word, ...]] = {}

    def group(name: str, members: tuple[Word, ...]) -> tuple[Word, ...]:
        groups[name] = members
        return members

    return read(file, group, members=some_of(words, groups))


def one_of(words: Mapping[str, Word]) -> Callable[[str], Word]:
    """Return the meaning of cells that name one of the words."""

    def meaning(cell: str) -> Word:
        if cell not in words:
            raise ValueError(f"{cell!r} is not known")
        return words[cell]

    return meaning


def some_of(
    words: Mapping[str, Word], groups: Mapping[str, tuple[Word, ...]] | None = None
) -> Callable[[str], tuple[Word, ...]]:
    """Return the meaning of cells that list words and groups, none of them twice."""
    word, group = one_of(words), one_of({} if groups is None else groups)

    def meaning(cell: str) -> tuple[Word, ...]:
        found: list[Word] = []
        for name in cell.split(", "):
            members = group(name.removeprefix(_GROUP)) if name.startswith(_GROUP) else (word(name),)
            if not set(members).isdisjoint(found):
                raise ValueError(f"{name!r} is in the list already")
            found += members
        return tuple(found)

    return meaning


yes = one_of({"yes": True})
"""The meaning of a column that says "yes" or is left out."""


def spelling(name: str) -> str:
    """Return a word as it is written, without the sense that tells it from another: "leave (a place)" → "leave"."""
    return name.partition(" (")[0]


def _cells(line: str, count: int) -> list[str]:
    cells = line.split("\t")
    if len(cells) != count:
        raise ValueError(f"the table has {count} columns, the line {len(cells)} cells")
    for column, cell in enumerate(cells, start=1):
        if cell != cell.strip() or not cell:
            raise ValueError(f"cell {column} is empty or has blanks at an end")
    return cells


def _names(found: list[str], wanted: list[str]) -> list[str]:
    if sorted(found) != sorted(wanted):
        raise ValueError(f"the columns are {', '.join(found)}, not {', '.join(wanted)}")
    return found


def _values(
    row: Iterable[tuple[str, str]], columns: Mapping[str, Parameter], meanings: Mapping[str, Meaning]
) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, cell in row:
        try:
            if cell != _LEFT_OUT:
                values[name] = meanings.get(name, str)(cell)
            elif columns[name].default is Parameter.empty:
                raise ValueError("can't be left out")
        except ValueError as wrong:
            raise ValueError(f"{name}: {wrong}") from wrong
    return values
