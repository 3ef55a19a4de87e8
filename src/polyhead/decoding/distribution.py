"""What a search does with a step's logits: log-probabilities, and the exact, deterministic choice of the best.

Shapes: N sentences still searched, R live rows, V vocabulary, C candidates.
"""

from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from polyhead.decoding.compiled import vocabulary
from polyhead.decoding.compiled.vocabulary import CHUNK
from polyhead.decoding.rules import Live, Rule
from polyhead.decoding.searchable import Best, Logits, Numbers, Sums, Values
from polyhead.kernels.threads.team import board_in_use


class Distribution(Protocol):
    """P(y_t | y_<t, X) of every row. The rules take tokens away; what is left keeps its probability."""

    @property
    def logits(self) -> Logits:
        """[R, V] float32, -inf where the rules exclude a token."""
        ...

    def most_probable(self) -> Numbers:
        """[R], the first of each row's most probable tokens."""
        ...

    def log_probabilities(self, rows: Numbers, tokens: Numbers) -> Values:
        """log P(tokens[i]) in row rows[i], for every i."""
        ...

    def best_continuations(self, bases: Sums, starts: Numbers, count: int) -> Best:
        """The `count` best continuations of every sentence n, among those of its rows starts[n] … starts[n + 1] - 1.

        The best have the largest totals bases[r] + log P(token); bases [R], starts [N + 1]. A total is -inf where a
        sentence has no more. Ties go to the lower row, then to the lower token.
        """
        ...


def distribution(logits: Logits, rule: Rule, live: Live) -> Distribution:
    """The distribution that a rule leaves of the logits [R, V] of live rows; the rule writes into the logits."""
    if not isinstance(logits, np.ndarray):
        from polyhead.decoding.on_device import OnDevice  # imports PyTorch, which such logits have loaded

        return OnDevice.of(logits, rule, live)
    found = OnCpu.of(np.ascontiguousarray(logits))
    rule(found.logits, live)  # a rule only takes tokens away: no logit rises above its peak
    return found


class OnCpu(NamedTuple):
    """A `Distribution` by kernels: the logits are read once, and again only where there is something to find."""

    logits: Values
    normalisers: NDArray[np.float32]
    """[R], log Σ exp of the model's logits: log P = logit - normaliser."""
    peaks: NDArray[np.float32]
    """[R, V / CHUNK], an upper bound of the logits of each chunk."""

    @classmethod
    def of(cls, logits: Values) -> Self:
        """The distribution of logits [R, V] float32, which must be contiguous."""
        rows, size = logits.shape
        normalisers, peaks = np.empty(rows, np.float32), np.empty((rows, -(-size // CHUNK)), np.float32)
        vocabulary.survey(logits, normalisers, peaks, board_in_use())
        return cls(logits, normalisers, peaks)

    def most_probable(self) -> Numbers:
        tokens = np.empty(len(self.peaks), np.int64)
        vocabulary.most_probable(self.logits, self.peaks, tokens)
        return tokens

    def log_probabilities(self, rows: Numbers, tokens: Numbers) -> Values:
        return self.logits[rows, tokens] - self.normalisers[rows]

    def best_continuations(self, bases: Sums, starts: Numbers, count: int) -> Best:
        size = len(starts) - 1, count
        rows, tokens = np.empty(size, np.int64), np.empty(size, np.int64)
        values, totals = np.empty(size, np.float32), np.empty(size)
        given = self.logits, self.normalisers, self.peaks, bases, starts
        vocabulary.best_continuations(*given, rows, tokens, values, totals)
        return rows, tokens, values, totals
