"""Which sentence pairs are shuffled and grouped by length together: all of an epoch's, or a window of them at a time.

Shuffling a corpus as a whole takes memory for every pair of it. A window takes memory for its own pairs only. It is
made of short runs of neighbouring pairs, which are drawn from the whole corpus anew for each epoch, so that a window is
a random sample of the corpus, and yet can be read from a disk quickly.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

RUN = 16
"""Neighbouring pairs that always share a window. Batches then mix hundreds of runs."""

Rows = NDArray[np.int64]


class Drawn(IntEnum):
    """What is drawn at random for an epoch; each has a stream of random numbers of its own."""

    BATCHES = 0
    WEIGHTS = 1
    WINDOWS = 2
    SEGMENTATIONS = 3


@dataclass(frozen=True)
class Window:
    """The pairs of a corpus that are shuffled together, in one epoch.

    rows: [W] which pairs, in rising order; None: all
    count: how many windows the epoch has
    """

    epoch: int = 0
    number: int = 0
    rows: Rows | None = None
    count: int = 1

    @property
    def is_last(self) -> bool:
        """Whether the epoch ends with this window."""
        return self.number + 1 >= self.count

    def random(self, seed: int, what: Drawn) -> np.random.Generator:
        """The random numbers by which something is drawn for this window. The same seed gives the same numbers."""
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.entropy(seed, what))))

    def entropy(self, seed: int, what: Drawn) -> list[int]:
        """What the random numbers of `random` follow from."""
        if self.rows is None:
            return [seed, self.epoch, what] if what == Drawn.WEIGHTS else [seed, self.epoch]
        return [seed, self.epoch, what + 1, self.number + 1]


def window_of(pairs: int, size: int | None, seed: int, epoch: int, number: int, *, shuffle: bool = True) -> Window:
    """The window with this number, from 0 on, of an epoch. All windows of an epoch together have each pair once.

    pairs: how many the corpus has
    size: how many pairs a window may have; None: all. A corpus that is no larger is one window.
    shuffle: whether its runs are drawn at random; if not, windows follow each other as their pairs do
    A number beyond the last window gives one without pairs.
    """
    if size is None or pairs <= size:
        return Window(epoch, number, None if number == 0 else np.zeros(0, np.int64))
    runs = -(-pairs // RUN)
    count = -(-runs // max(1, size // RUN))
    order = np.arange(runs)
    if shuffle:
        entropy = np.random.SeedSequence([seed, epoch, Drawn.WINDOWS])
        order = np.random.Generator(np.random.PCG64(entropy)).permutation(runs)
    some = np.sort(order[runs * number // count : runs * (number + 1) // count])  # windows of nearly the same size
    rows = (some[:, None] * RUN + np.arange(RUN)).ravel()
    return Window(epoch, number, rows[rows < pairs].astype(np.int64), count)
