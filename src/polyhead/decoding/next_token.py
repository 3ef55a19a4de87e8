"""What a search sees of its next step: each sentence's best continuations, or the token that a row goes on with.

Where a model's step is in parts, no more logits are made at a time than a core's cache holds: they are read as soon as
they are written, and of most of them nothing is kept. Rows don't touch each other, so that parts change nothing.
Shapes: N sentences still searched, R live rows, D features, V vocabulary.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from polyhead.decoding.distribution import Distribution, distribution
from polyhead.decoding.rules import Live, Rule
from polyhead.decoding.searchable import Best, Logits, Numbers, S, Searchable, Sums, Values

ROWS = 64
"""Rows whose logits are made together, or one sentence's: some 2 MB of them."""


Choose = Callable[[Distribution, Live], Numbers]
"""What may come next, live rows → the token [R] that each row writes next."""


class Continuations(Protocol):
    """What may come next, as far as a search asks."""

    def best_continuations(self, bases: Sums, starts: Numbers, count: int) -> Best:
        """As `Distribution` has it."""
        ...

    def chosen(self, choose: Choose) -> tuple[Numbers, Values]:
        """The token that each row goes on with, and its log-probability, both [R]."""
        ...


@runtime_checkable
class InParts(Protocol):
    """A `Searchable` with `step(previous, state)` = `logits` of what `features(previous, state)` gives."""

    def features(self, previous: Numbers, state: Any) -> tuple[Values, Any]:
        """previous [R] → the decoder's last layer [R, D], the next state."""
        ...

    def logits(self, features: Values) -> Logits:
        """features [R', D] of some rows → their logits [R', V], the caller's own."""
        ...


NextStep = Callable[[Numbers, S, Live], tuple[Continuations, S]]
"""previous [R], the state before it, live rows → what may come next, and the state after it."""


def next_step_of(model: Searchable[S], rule: Rule) -> NextStep[S]:
    """A model's steps under a rule."""
    return _in_blocks(model, rule) if isinstance(model, InParts) else _at_once(model, rule)


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
    """Of all rows at once."""

    possible: Distribution
    live: Live

    @staticmethod
    def of(logits: Logits, rule: Rule, live: Live) -> "_AllRows":
        """What a rule leaves of the logits."""
        return _AllRows(distribution(logits, rule, live), live)

    def best_continuations(self, bases: Sums, starts: Numbers, count: int) -> Best:
        """As `Distribution` has it."""
        return self.possible.best_continuations(bases, starts, count)

    def chosen(self, choose: Choose) -> tuple[Numbers, Values]:
        """The token that each row goes on with, and its log-probability."""
        tokens = choose(self.possible, self.live)
        return tokens, self.possible.log_probabilities(np.arange(len(tokens)), tokens)


@dataclass(frozen=True)
class _RowBlocks:
    """Features from which logits are made when they are asked for."""

    logits: Callable[[Values], Logits]
    features: Values
    """[R, D]."""
    rule: Rule
    live: Live

    def best_continuations(self, bases: Sums, starts: Numbers, count: int) -> Best:
        """Those of all sentences, a part of them at a time."""
        found = [self._of(starts[first : last + 1], bases, count) for first, last in row_blocks(starts)]
        rows, tokens, values, totals = (np.concatenate(each) for each in zip(*found, strict=True))
        return rows, tokens, values, totals

    def chosen(self, choose: Choose) -> tuple[Numbers, Values]:
        """Those of all rows, a part of them at a time."""
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
    """Where sentences' rows begin, and where the last one's end [N + 1] → from which to which to take at a time."""
    first = 0
    for last in range(1, len(starts)):
        if last + 1 == len(starts) or starts[last + 1] - starts[first] > ROWS:
            yield first, last
            first = last
