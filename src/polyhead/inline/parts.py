"""The codes of a text whose parts are translated one by one: which are within a part, and which stand between."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from polyhead.inline.codes import Code
from polyhead.text import Span


class Shared(NamedTuple):
    """The codes of a text, divided into those within its parts and those between them."""

    within: list[list[Code]]
    """For each part, the codes within it, with places in the whole text."""
    between: list[list[Code]]
    """For each part, the codes between the part before it and itself; at the end, the codes behind all parts."""


def share(codes: Sequence[Code], parts: Sequence[Span]) -> Shared:
    """Divides the codes of a text, given in order, among its parts: places, one behind the other, which cut no code.

    A code of which the model reads nothing is not within a part at whose edge it stands, unless the other half of its
    pair is within: `<b>` before a whole sentence stays before it.
    """
    within: list[list[Code]] = [[] for _ in parts]
    between: list[list[Code]] = [[] for _ in range(len(parts) + 1)]
    if not codes:
        return Shared(within, between)
    other = {(code.pair, code.role): code for code in codes if code.pair is not None}
    halves = {"open": "close", "close": "open"}
    starts = [start for start, _ in parts]
    for code in codes:
        bisect = bisect_left if code.role == "close" else bisect_right
        number = bisect(starts, code.start)  # how many parts begin before the code
        start, end = parts[number - 1] if number else (-1, -1)
        half = other.get((code.pair, halves.get(code.role, "")), code) if code.pair is not None else code
        begins_it = code.start == start and code.start < code.end
        is_half = code.start in (start, end) and start < half.start < end
        if begins_it or is_half or start < code.start < end:
            within[number - 1].append(code)
        else:
            between[number - 1 if code.start == start else number].append(code)
    return Shared(within, between)


def is_cut(code: Code, parts: Sequence[Span]) -> bool:
    """Whether a code lies partly within one of some places."""
    return code.start < code.end and any(
        start < code.end and code.start < end and not (start <= code.start and code.end <= end) for start, end in parts
    )
