"""Where the codes of a source text stand in its translation.

Tags follow the words that they surround. Both texts are divided into units: words, signs and Chinese characters. In the
translation, a pair of codes surrounds the units that were read from what the pair surrounds in the source text.
Whatever the weights are, each code is placed once, and pairs that were nested are nested.

Shapes: T units of the translation, S units of the source text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from polyhead.inline.codes import Code, Marked

Span = tuple[int, int]
"""(start, end): characters of a text, or units."""
_UNIT = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|(?:(?![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])\w)+(?:['’-]\w+)*|[^\w\s]"
)
"""A letter of a script without spaces, a word, or a sign."""


_HALF = 0.5
"""The share of a unit that must be read from within a pair for the pair to surround it; less, if none has so much."""
_ENDS = frozenset(".!?…。！？，,;:")
"""Signs: a code that stands before one of them in the source text does so in the translation, too."""
_DEEPEST = 100
"""How deep pairs may be nested; the halves of deeper pairs are placed as codes alone."""
_LEAST = 0.1
"""The share of a unit that must have been read from another one for the two to have to do with each other."""


def units(text: str) -> list[Span]:
    """The words and signs of a text; of scripts without spaces between words, their characters."""
    return [match.span() for match in _UNIT.finditer(text)]


def _in_order(codes: list[Code]) -> list[Code]:
    """The codes, with the halves of each pair in order: those of a pair that crossed another one were placed alone."""
    ends: dict[int, int] = {}
    for place, code in enumerate(codes):
        if code.pair is not None and code.role == "close":
            ends[code.pair] = place
        elif code.pair is not None and code.role == "open" and (end := ends.get(code.pair)) is not None:
            first, last = codes[end], code
            codes[end], codes[place] = (
                replace(last, start=first.start, end=first.end),
                replace(first, start=last.start, end=last.end),
            )
    return codes


@dataclass
class _Item:
    """A pair of codes and what is between them, or a code alone."""

    codes: tuple[Code, ...]
    """The opening and the closing code of a pair, or one code."""
    inside: list["_Item"] = field(default_factory=list["_Item"])


def place(source: Marked, target: str, weights: NDArray[np.float32]) -> Marked:
    """The translation (target) with the codes of the source text, of which the model must have read nothing.

    weights [T, S]: how much of each unit of the translation was read from each unit of the source; rows add up to 1
    """
    return Marked(target, tuple(_Placing(source.text, target, weights).placed(_tree(source.codes))))


def _tree(codes: Sequence[Code]) -> list[_Item]:
    """The codes as they are nested. A pair that crosses another one, or that has lost a half, is codes alone."""
    ends = {code.pair: place for place, code in enumerate(codes) if code.role == "close" and code.pair is not None}

    def items(start: int, end: int, depth: int = 0) -> list[_Item]:
        found: list[_Item] = []
        while start < end:
            code = codes[start]
            last = ends.get(code.pair, -1) if code.role == "open" and code.pair is not None else -1
            if start < last < end and depth < _DEEPEST:
                found.append(_Item((code, codes[last]), items(start + 1, last, depth + 1)))
                start = last
            else:
                found.append(_Item((code,)))
            start += 1
        return found

    return items(0, len(codes))


class _Placing:
    def __init__(self, source: str, target: str, weights: NDArray[np.float32]) -> None:
        self.source, self.target, self.weights = source, target, weights
        self.read, self.written = units(source), units(target)
        if weights.shape != (len(self.written), len(self.read)):
            raise ValueError(f"weights of the shape {weights.shape} for {len(self.written)} and {len(self.read)} units")

    def placed(self, items: Sequence[_Item]) -> list[Code]:
        """The codes, in the order in which they stand in the translation."""
        done, codes = 0, list[Code]()
        for place, code in self._within(items, (0, len(self.written))):
            done = max(done, place)  # behind a code at a unit's beginning, none stands at the end of the unit before
            codes.append(replace(code, start=done, end=done))
        return _in_order(codes)

    def _within(self, items: Sequence[_Item], room: Span) -> Iterator[tuple[int, Code]]:
        """The codes of items side by side, each with a place in characters, within some units of the translation."""
        free = np.zeros(len(self.written), bool)
        free[slice(*room)] = True
        runs: list[Span | None] = []
        for item in items:
            run = self._surrounded(item, free)
            runs.append(run)
            if run is not None:
                free[slice(*run)] = False
        taken = [run for run in runs if run is not None]
        found: list[tuple[Span, int, Span, _Item]] = []
        for number, (item, run) in enumerate(zip(items, runs, strict=True)):
            if run is None:
                point, place = self._point(item.codes[0].start, room, taken)
                found.append(((point, point), number, (place, place), item))
            else:
                found.append((run, number, (self.written[run[0]][0], self.written[run[1] - 1][1]), item))
        for run, _, (start, end), item in sorted(found, key=lambda each: each[:2]):
            yield start, item.codes[0]
            yield from self._within(item.inside, run)
            if len(item.codes) == 2:
                yield end, item.codes[1]

    def _surrounded(self, item: _Item, free: NDArray[np.bool_]) -> Span | None:
        """The units that a pair of codes surrounds: neighbours of which most was read from within it; None for none."""
        if len(item.codes) < 2:
            return None
        start, end = item.codes[0].start, item.codes[1].start
        inside = [number for number, (begin, stop) in enumerate(self.read) if begin < end and start < stop]
        share = np.where(free, self.weights[:, inside].sum(1), -np.inf)
        # Where little was read from within the pair, the unit with the largest share is better than none.
        gain = share - min(_HALF, max(_LEAST, 0.75 * share.max(initial=0)))
        best, best_run, total, begin = 0.0, None, 0.0, 0
        for number, each in enumerate(gain.tolist()):
            if total <= 0:
                total, begin = 0.0, number
            total += each
            if total > best:
                best, best_run = total, (begin, number + 1)
        return best_run

    def _point(self, place: int, room: Span, runs: Sequence[Span]) -> tuple[int, int]:
        """Where a code alone stands: the number of the unit that it stands before, and the character.

        It stays with the unit that it touches in the source text, else before the word that follows it.
        """
        before = [number for number, (_, end) in enumerate(self.read) if end <= place]
        after = [number for number, (start, _) in enumerate(self.read) if start >= place]
        touches_left = not self.source[:place][-1:].isspace() and bool(before)
        touches_right = not self.source[place:][:1].isspace() and bool(after)
        follows = touches_left and not touches_right
        if touches_left == touches_right:
            follows = not after or not self.source[self.read[after[0]][0]].isalnum()
        point = None
        for side in (follows, not follows):
            if point is None and (before if side else after):
                point = self._beside(before[-1] if side else after[0], room, behind=side)
                follows = side if point is not None else follows
        if point is None:
            point = room[0] + round((room[1] - room[0]) * place / max(1, len(self.source)))
        if after and self.source[self.read[after[0]][0]] in _ENDS:
            while point > room[0] and self.target[self.written[point - 1][0]] in _ENDS:
                point, follows = point - 1, True
        for start, end in runs:
            if start < point < end:
                point, follows = (end, True) if follows else (start, False)
        return point, self._character(point, room, behind=follows)

    def _beside(self, unit: int, room: Span, *, behind: bool) -> int | None:
        """The place before or behind the units that were read from a unit of the source; None where none was."""
        column = self.weights[slice(*room), unit]
        if not len(column) or column.max() < _LEAST:
            return None
        close = (column >= column.max() / 2).nonzero()[0]
        return room[0] + int(close[-1]) + 1 if behind else room[0] + int(close[0])

    def _character(self, point: int, room: Span, *, behind: bool) -> int:
        """The character at a place before a unit: where the unit before it ends, or where the unit itself begins."""
        if behind and point > room[0]:
            return self.written[point - 1][1]
        if point < room[1]:
            return self.written[point][0]
        if point > room[0]:
            return self.written[point - 1][1]
        return self.written[point][0] if point < len(self.written) else len(self.target)
