"""Which sentences go into a batch together: as many as fill a budget of tokens, of nearly the same lengths."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from polyhead.config import Config

# So many neighbouring target lengths count as one in sorting, and source lengths vary the less within a batch. With 1
# or 3, two real corpora (captions; English-Korean documentation) had more padding at 8,192 tokens a batch.
_WIDTH = 2

Lengths = NDArray[np.int64]


class BatchingConfig(Config):
    """How large batches are and how they are drawn."""

    max_tokens: int = Field(default=8192, ge=1)
    """The most tokens in a batch: sentences × (longest source + longest target), padding included."""
    max_sentences: int | None = Field(default=None, ge=1)
    """The most sentences in a batch; None: as many as `max_tokens` lets in."""
    shuffle: bool = True
    """Draw batches anew each epoch and take them in random order; if not, they go from short to long."""


def batches(
    source_lengths: Lengths, target_lengths: Lengths, config: BatchingConfig, seed: int, epoch: int
) -> list[NDArray[np.int64]]:
    """The rows of each batch; every sentence is in exactly one. The same (seed, epoch) gives the same batches.

    source_lengths, target_lengths: [N] tokens of each sentence, `<sos>`/`<eos>` included
    A sentence that alone is over the budget gets a batch of its own.
    """
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, epoch])))
    order = _sorted(source_lengths, target_lengths, random if config.shuffle else None)
    # A first batch of random size, so that the cuts fall elsewhere in every epoch.
    first = config.max_tokens * (1.0 - random.random()) if config.shuffle else config.max_tokens
    cuts = _cuts(source_lengths[order], target_lengths[order], config, first)
    drawn: list[NDArray[np.int64]] = [order[start:end] for start, end in pairwise(cuts)]
    if config.shuffle:
        drawn = [drawn[i] for i in random.permutation(len(drawn)).tolist()]
    return drawn


def _sorted(sources: Lengths, targets: Lengths, random: np.random.Generator | None) -> NDArray[np.int64]:
    """Rows by target length, then by source length; at random where these are the same."""
    phase = 0 if random is None else random.integers(_WIDTH)  # which lengths count as one changes with the epoch
    ties = np.arange(len(sources)) if random is None else random.permutation(len(sources))
    group = (targets + phase) // _WIDTH
    # Source lengths rise in one group and fall in the next: no jump from long to short within a batch.
    back_and_forth = np.where(group % 2 == 0, sources, -sources)
    return np.lexsort((ties, back_and_forth, group)).astype(np.int64)


def _cuts(sources: Lengths, targets: Lengths, config: BatchingConfig, first_budget: float) -> list[int]:
    """Where batches begin in the sorted order, and its end."""
    if not len(sources):
        return [0]
    cuts = [0]
    budget = first_budget
    longest_source = longest_target = 0
    most = config.max_sentences or len(sources)
    for row, (source, target) in enumerate(zip(sources.tolist(), targets.tolist(), strict=True)):
        longest_source, longest_target = max(longest_source, source), max(longest_target, target)
        sentences = row + 1 - cuts[-1]
        if sentences > 1 and (sentences > most or sentences * (longest_source + longest_target) > budget):
            cuts.append(row)
            budget = config.max_tokens
            longest_source, longest_target = source, target
    return [*cuts, len(sources)]
