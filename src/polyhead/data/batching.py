"""Which sentences go into a batch together: as many as fill a budget of tokens, of nearly the same lengths.

Batches come in few shapes. For every new shape of a matrix product the CPU's library (oneDNN) builds a kernel; with as
many shapes as batches, that took a quarter of a small model's training time. So a batch of a corpus has one of a few
dozen target widths, and its source width and number of sentences follow from that.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from polyhead.config import Config
from polyhead.data.windows import Drawn, Rows, Window
from polyhead.hardware import few_sizes
from polyhead.limits import MOST_COUNTED, MOST_SENTENCES, MOST_TOKENS_LEARNT

_SENTENCES = 8
"""Batches hold a multiple of this many sentences, which suits the kernels' vectors, or fewer if sentences are long."""

Lengths = NDArray[np.int64]


class BatchingConfig(Config):
    """How large batches are and how they are drawn."""

    max_tokens: int = Field(default=8192, ge=1, le=MOST_TOKENS_LEARNT)
    """The most tokens in a batch: sentences × (source width + target width), padding included."""
    max_sentences: int | None = Field(default=None, ge=1, le=MOST_SENTENCES)
    """The most sentences in a batch; None: as many as `max_tokens` lets in."""
    shuffle: bool = True
    """Draw batches anew each epoch and take them in random order; if not, they go from short to long."""
    window: int | None = Field(default=None, ge=1, le=MOST_COUNTED)
    """Sentence pairs that are shuffled and grouped by length together, to bound the memory that a large corpus takes;
    they are drawn from the whole corpus anew each epoch. None: all."""


@dataclass(frozen=True)
class Draw:
    """A batch before it is made: which sentences, and how wide to pad them."""

    rows: Rows
    source_width: int
    target_width: int


def batches(
    source_lengths: Lengths, target_lengths: Lengths, config: BatchingConfig, seed: int, window: Window
) -> list[Draw]:
    """Every sentence in exactly one batch. The same seed and window give the same batches.

    source_lengths, target_lengths: [N] tokens of each sentence of the window, `<sos>`/`<eos>` included
    A sentence that alone is over the budget gets a batch of its own.
    """
    random = window.random(seed, Drawn.BATCHES)
    count = len(source_lengths)
    ratio = float(np.median(source_lengths / target_lengths)) if count else 1.0
    needed = np.maximum(np.ceil(source_lengths / ratio).astype(np.int64), target_lengths)
    ties = random.permutation(count) if config.shuffle else np.arange(count)
    order = np.lexsort((ties, -needed)).astype(np.int64)  # from long to short
    # A first batch of random size, so that the cuts fall elsewhere in every epoch.
    share = 1.0 - random.random() if config.shuffle else 1.0
    drawn: list[Draw] = []
    start = 0
    while start < count:
        width = few_sizes(int(needed[order[start]]))
        target_width = min(width, int(target_lengths.max()))
        source_width = min(few_sizes(math.ceil(width * ratio)), int(source_lengths.max()))
        end = start + _sentences(source_width + target_width, config, share)
        drawn.append(_fitted(order[start:end], source_lengths, target_lengths, source_width, target_width))
        start, share = end, 1.0
    if config.shuffle:
        return [drawn[i] for i in random.permutation(len(drawn)).tolist()]
    return drawn[::-1]


def _sentences(tokens: int, config: BatchingConfig, share: float) -> int:
    """How many sentences of so many tokens on both sides together fill `share` of the budget."""
    most = max(1, int(config.max_tokens * share) // tokens)
    most = most // _SENTENCES * _SENTENCES or most
    return min(most, config.max_sentences or most)


def _fitted(rows: Rows, sources: Lengths, targets: Lengths, source_width: int, target_width: int) -> Draw:
    """The batch of these rows. A single sentence is never padded: it may be longer than the budget as it is."""
    if len(rows) == 1:
        return Draw(rows, int(sources[rows[0]]), int(targets[rows[0]]))
    return Draw(rows, source_width, target_width)
