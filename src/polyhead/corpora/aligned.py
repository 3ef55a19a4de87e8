"""Files aligned line by line, as Moses and OPUS have them."""

from collections.abc import Callable, Iterator
from itertools import zip_longest

from polyhead.corpora.member import Member
from polyhead.corpora.text_lines import text_lines
from polyhead.corpora.unit import SOURCE, TARGET, Unit
from polyhead.errors import DataError, counted


def read_aligned(source: Member, target: Member, names: tuple[str, str] = (SOURCE, TARGET)) -> Iterator[Unit]:
    """The lines of two files as units, in which `names` say what source and target are called."""
    for number, one, other in aligned_lines(source, target, text_lines):
        yield Unit({names[0]: one, names[1]: other}, f"{source.name}:{number}")


def aligned_lines(
    source: Member, target: Member, lines: Callable[[Member], Iterator[str]]
) -> Iterator[tuple[int, str, str]]:
    """The number of each line, from 1 on, and its text in both files, which `lines` reads.

    Raises DataError when one has more lines than the other, after the last pair.
    """
    sources, targets = lines(source), lines(target)
    for number, (one, other) in enumerate(zip_longest(sources, targets), start=1):
        if one is None or other is None:
            raise _unequal(source, target, number, number + sum(1 for _ in (targets if one is None else sources)), one)
        yield number, one, other


def _unequal(source: Member, target: Member, number: int, longer: int, one: str | None) -> DataError:
    shorter = number - 1
    counts = (shorter, longer) if one is None else (longer, shorter)
    message = (
        f"the files are not aligned: {source.name} has {counted(counts[0], 'line')} and {target.name} has {counts[1]}, "
        f"so line {number} has no partner"
    )
    return DataError(message, target.name if one is None else source.name, number)
