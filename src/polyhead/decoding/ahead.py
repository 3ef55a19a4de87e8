"""What a beam sees of its next step: each sentence's best continuations.

Where a model's step is in parts, no more logits are made at a time than a core's cache holds: they are read as soon as
they are written, and of most of them nothing is kept. Rows don't touch each other, so that parts change nothing.
Shapes: N sentences still searched, R live rows, D features, V vocabulary.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from torch import Tensor

from polyhead.decoding.distribution import Best, Numbers, Sums, distribution
from polyhead.decoding.rules import Live, Rule
from polyhead.model.seq2seq import S, Seq2Seq

ROWS = 64
"""Rows whose logits are made together, or one sentence's: some 2 MB of them."""


class Continuations(Protocol):
    """A `Distribution`, as far as a beam needs one."""

    def best_continuations(self, bases: Sums, starts: Numbers, count: int) -> Best:
        """As `Distribution` has it."""
        ...


@runtime_checkable
class InParts(Protocol):
    """A `Seq2Seq` with `step(previous, state)` = `logits` of what `features(previous, state)` gives."""

    def features(self, previous: Tensor, state: Any) -> tuple[Tensor, Any]:
        """previous [R] int64 → the decoder's last layer [R, D], the next state."""
        ...

    def logits(self, features: Tensor) -> Tensor:
        """features [R', D] of some rows → their logits [R', V], the caller's own."""
        ...


Ahead = Callable[[Tensor, S, Live], tuple[Continuations, S]]
"""previous [R] int64, the state before it, live rows → what may come next, and the state after it."""


def looking_ahead(model: Seq2Seq[S], rule: Rule) -> Ahead[S]:
    """A model's steps under a rule."""
    return _in_parts(model, rule) if isinstance(model, InParts) else _whole(model, rule)


def _in_parts(model: InParts, rule: Rule) -> Ahead[Any]:
    def ahead(previous: Tensor, state: Any, live: Live) -> tuple[Continuations, Any]:
        features, after = model.features(previous, state)
        if len(features) <= ROWS:
            return distribution(model.logits(features), rule, live), after
        return _Parts(model.logits, features, rule, live), after

    return ahead


def _whole(model: Seq2Seq[S], rule: Rule) -> Ahead[S]:
    def ahead(previous: Tensor, state: S, live: Live) -> tuple[Continuations, S]:
        logits, after = model.step(previous, state)
        return distribution(logits, rule, live), after

    return ahead


@dataclass(frozen=True)
class _Parts:
    """Features from which logits are made when they are asked for."""

    logits: Callable[[Tensor], Tensor]
    features: Tensor
    """[R, D]."""
    rule: Rule
    live: Live

    def best_continuations(self, bases: Sums, starts: Numbers, count: int) -> Best:
        """Those of all sentences, a part of them at a time."""
        found = [self._of(starts[first : last + 1], bases, count) for first, last in parts(starts)]
        rows, tokens, values, totals = (np.concatenate(each) for each in zip(*found, strict=True))
        return rows, tokens, values, totals

    def _of(self, starts: Numbers, bases: Sums, count: int) -> Best:
        first = int(starts[0])
        rows = slice(first, int(starts[-1]))
        live = Live(self.live.tokens[rows], self.live.of[rows], self.live.device)
        possible = distribution(self.logits(self.features[rows]), self.rule, live)
        parents, tokens, values, totals = possible.best_continuations(bases[rows], starts - first, count)
        return parents + first, tokens, values, totals


def parts(starts: Numbers) -> Iterator[tuple[int, int]]:
    """Where sentences' rows begin, and where the last one's end [N + 1] → from which to which to take at a time."""
    first = 0
    for last in range(1, len(starts)):
        if last + 1 == len(starts) or starts[last + 1] - starts[first] > ROWS:
            yield first, last
            first = last
