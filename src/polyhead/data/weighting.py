"""Corpora with weights: how often an epoch has each sentence pair."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyhead.data.store import Corpus, EncodedCorpus
from polyhead.data.windows import Drawn, Window

Weights = NDArray[np.float64]
CorpusForEpoch = Callable[[int, int | None], Corpus]
"""An epoch, and in how many epochs words are cut up at random (None: all) → its corpus."""


def weighted(
    corpus_for_epoch: CorpusForEpoch, weights: Weights, seed: int, rows: NDArray[np.int64] | None = None
) -> CorpusForEpoch:
    """A function: an epoch → its corpus, which has each pair of `corpus_for_epoch` as often as the pair's weight says.

    weights: of each pair, above 0; see `rows_of_window`
    rows: [N] where in `weights` the weight of each pair of that corpus is; None: they are in the order of the pairs
    The same (seed, epoch) gives the same pairs in the same order.
    """
    return lambda epoch, sampled: _Weighted(corpus_for_epoch(epoch, sampled), weights, rows, seed)


@dataclass(frozen=True)
class _Weighted:
    """A corpus whose windows have each pair as often as its weight says."""

    corpus: Corpus
    weights: Weights
    rows: NDArray[np.int64] | None
    seed: int

    def __len__(self) -> int:
        return len(self.corpus)

    def within(self, window: Window) -> EncodedCorpus:
        """The pairs of a window, as often as the epoch has each."""
        rows = slice(None) if window.rows is None else window.rows
        weights = np.asarray(self.weights[rows if self.rows is None else self.rows[rows]])
        return self.corpus.within(window).take(rows_of_window(weights, self.seed, window))


def rows_of_window(weights: Weights, seed: int, window: Window) -> NDArray[np.int64]:
    """[M] the rows of a window that an epoch has, in rising order; a row stands there as often as the epoch has it.

    weights: [N] above 0. A pair of weight 2 is there twice. Of the pairs of weight 0.5 one half is there, of 2.5 all
    twice and one half a third time; each epoch has another half. M is the sum of the weights, rounded up or down at
    random, but 1 at least.
    """
    random = window.random(seed, Drawn.WEIGHTS)
    times = np.floor(weights).astype(np.int64)
    for weight in np.unique(weights[weights > times]):
        rows = np.flatnonzero(weights == weight)
        once_more = int((weight % 1) * len(rows) + random.random())
        times[random.permutation(rows)[:once_more]] += 1
    if len(weights) and not times.any():
        times[random.integers(len(weights))] = 1
    return np.repeat(np.arange(len(weights)), times)
