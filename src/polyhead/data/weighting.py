"""Corpora with weights: how often an epoch has each sentence pair."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from polyhead.data.store import EncodedCorpus

Weights = NDArray[np.float64]
CorpusForEpoch = Callable[[int, int | None], EncodedCorpus]
"""An epoch, and in how many epochs words are cut up at random (None: all) → its corpus."""
_STREAM = 1
"""Makes the random numbers others than those by which an epoch's batches are drawn."""


def weighted(corpus_for_epoch: CorpusForEpoch, weights: Weights, seed: int) -> CorpusForEpoch:
    """Epoch → the pairs that it has, of the corpus that it would have without weights.

    weights: [N] of each pair of that corpus, above 0; see `rows_of_epoch`
    The same (seed, epoch) gives the same pairs in the same order.
    """
    return lambda epoch, sampled: corpus_for_epoch(epoch, sampled).take(rows_of_epoch(weights, seed, epoch))


def rows_of_epoch(weights: Weights, seed: int, epoch: int) -> NDArray[np.int64]:
    """[M] the rows that an epoch has, in rising order; a row stands there as often as the epoch has it.

    weights: [N] above 0. A pair of weight 2 is there twice. Of the pairs of weight 0.5 one half is there, of 2.5 all
    twice and one half a third time; each epoch has another half. M is the sum of the weights, rounded up or down at
    random, but 1 at least.
    """
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, epoch, _STREAM])))
    times = np.floor(weights).astype(np.int64)
    for weight in np.unique(weights[weights > times]):
        rows = np.flatnonzero(weights == weight)
        once_more = int((weight % 1) * len(rows) + random.random())
        times[random.permutation(rows)[:once_more]] += 1
    if not times.any():
        times[random.integers(len(weights))] = 1
    return np.repeat(np.arange(len(weights)), times)
