"""What a search sees of its next step: each sentence's best continuations, or the token that a row goes on with.

Where a model's step is in parts, no more logits are made at a time than a core's cache holds: they are read as soon as
they are written, and of most of them nothing is kept. Rows don't touch each other, so that parts change nothing.
Shapes: N sentences still searched, R live rows, D features, V vocabulary.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from polyhead.decoding.distribution import Distribution, distribution
from polyhead.decoding.rules import Live, Rule
from polyhead.decoding.searchable import Best, Logits, Numbers, S, Searchable, Sums, Values

ROWS = 64
"""The most rows whose logits are made together, some 2 MB of them. A sentence that has more rows is not divided."""


Choose = Callable[[Distribution, Live], Numbers]
"""What may come next, live rows → the token [R] that each row writes next."""


class Continuations(Protocol):
    """What may come next in every live row, as far as a search asks for it."""

    def best_continuations(self, bases: Sums, starts: Numbers, count: int) -> Best:
        """The best continuations of every sentence; see `Distribution.best_continuations`."""
        ...

    def chosen(self, choose: Choose) -> tuple[Numbers, Values]:
        """The token that each row goes on with, and its log-probability, both [R]."""
        ...


class InParts(Protocol):
    """A `Searchable` with `step(previous, state)` = `logits` of what `features(previous, state)` gives."""

    def features(self, previous: Numbers, state: Any) -> tuple[Values, Any]:
        """previous [R] → the decoder's last layer [R, D], the next state."""
        ...

    def logits(self, features: Values) -> Logits:
        """features [R', D] of some rows → their logits [R', V], which the caller may write into."""
        ...


def is_in_parts(model: object) -> bool:
    """Whether a model's step is in parts; `isinstance` with a protocol would take as long as a small layer does."""
    return hasattr(model, "features") and hasattr(model, "logits")


NextStep = Callable[[Numbers, S, Live], tuple[Continuations, S]]
"""previous [R], the state before it, live rows → what may come next, and the state after it."""


def next_step_of(model: Searchable[S], rule: Rule) -> NextStep[S]:
    """The function that makes a model's steps, with a rule applied to their logits."""
    return _in_blocks(cast("InParts", model), rule) if is_in_parts(model) else _at_once(model, rule)


def _in_blocks(model: InParts, rule: Rule) -> NextStep[Any]:
    def next_step(previous: Numbers, state: Any, live: Live) -> tuple[Continuations, Any]:
        features, after = model.features(previous, state)
        if len(features) <= ROWS:
            return _AllRows.of(model.logits(features), rule, live), after
        return _RowBlocks(model.logits, features, rule, live), after

    return next_step


def _at_once(model: Searchable[S], rule: Rule) -> NextStep[S]:
    def next_step(previous: Numbers, state: S, live: Live) -> tuple[Continuations, S]:
        logits, after = model.step(previous, state)
        return _AllRows.of(logits, rule, live), after

    return next_step


class _AllRows(NamedTuple):
    """What may come next, with the logits of all live rows made at once."""

    possible: Distribution
    live: Live

    @staticmethod
    def of(logits: Logits, rule: Rule, live: Live) -> "_AllRows":
        """What a rule leaves of the logits [R, V] of live rows."""
        return _AllRows(distribution(logits, rule, live), live)

    def best_continuations(self, bases: Sums, starts: Numbers, count: int) -> Best:
        """The best continuations of every sentence; see `Distribution.best_continuations`."""
        return self.possible.best_continuations(bases, starts, count)

    def chosen(self, choose: Choose) -> tuple[Numbers, Values]:
        """The token that each row goes on with, and its log-probability, both [R]."""
        tokens = choose(self.possible, self.live)
        return tokens, self.possible.log_probabilities(np.arange(len(tokens)), tokens)


@dataclass(frozen=True)
class _RowBlocks:
    """What may come next, with the logits made when they are asked for, a block of rows at a time."""

    logits: Callable[[Values], Logits]
    features: Values
    """The decoder's last layer [R, D]."""
    rule: Rule
    live: Live

    def best_continuations(self, bases: Sums, starts: Numbers, count: int) -> Best:
        """The best continuations of every sentence, found for a block of sentences at a time."""
        found = [self._of(starts[first : last + 1], bases, count) for first, last in row_blocks(starts)]
        rows, tokens, values, totals = (np.concatenate(each) for each in zip(*found, strict=True))
        return rows, tokens, values, totals

    def chosen(self, choose: Choose) -> tuple[Numbers, Values]:
        """The token that each row goes on with, and its log-probability, both [R]; found for `ROWS` rows at a time."""
        cuts = range(0, len(self.features), ROWS)
        found = [self._part(slice(first, first + ROWS)).chosen(choose) for first in cuts]
        return np.concatenate([tokens for tokens, _ in found]), np.concatenate([values for _, values in found])

    def _of(self, starts: Numbers, bases: Sums, count: int) -> Best:
        first = int(starts[0])
        rows = slice(first, int(starts[-1]))
        parents, tokens, values, totals = self._part(rows).best_continuations(bases[rows], starts - first, count)
        return parents + first, tokens, values, totals

    def _part(self, rows: slice) -> _AllRows:
        live = Live(self.live.tokens[rows], self.live.sentences[rows])
        return _AllRows.of(self.logits(self.features[rows]), self.rule, live)


def row_blocks(starts: Numbers) -> Iterator[tuple[int, int]]:
    """starts [N + 1], where each sentence's rows begin → (first, last) of blocks of the sentences first … last - 1."""
    first = 0
    for last in range(1, len(starts)):
        if last + 1 == len(starts) or starts[last + 1] - starts[first] > ROWS:
            yield first, last
            first = last
