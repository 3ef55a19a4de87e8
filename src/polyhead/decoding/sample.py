"""Sampling translations: temperature, top-k, top-p, the same for a sentence whatever else is in the batch.

Every sentence has its own stream of uniform numbers u_1, u_2, …, keyed by (seed, sentence); token t is where the
cumulative distribution first exceeds u_t, so that it comes with exactly its probability.
Shapes: B sentences, R live rows, S source length, V vocabulary.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.decoding.config import SamplingConfig
from polyhead.decoding.distribution import Distribution
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.length_penalty import penalties
from polyhead.decoding.rollout import rollout
from polyhead.decoding.rules import NEVER, Live, Rule, max_lengths, search_rule
from polyhead.decoding.searchable import Mask, Model, Numbers, Source, Sums, in_memory, searchable

Scores = NDArray[Any]
"""[R, V] log-probabilities, unnormalised; float32 or float64."""
Filter = Callable[[Scores], Scores]
"""Scores → the scores of the distribution to draw from."""


def sample(
    model: Model,
    source: Source,
    source_mask: Mask,
    config: SamplingConfig | None = None,
    *,
    sentences: Sequence[int] | None = None,
    rules: Sequence[Rule] = (),
    prefixes: Sequence[Sequence[int]] = (),
) -> list[Hypothesis]:
    """source [B, S] int64, source_mask [B, S] bool, arrays or tensors → a sampled hypothesis for every sentence.

    `sentences` are the numbers that key the sentences' randomness, 0 … B-1 unless given: for several samples of one
    sentence repeat its row under different numbers. Probabilities in the result are the model's own, before
    temperature and filters. `rules`, `prefixes` and the model as in `greedy`.
    Raises ValueError if `sentences` or `prefixes` are given, but not one for every sentence.
    """
    config = config or SamplingConfig()
    model, source, source_mask = searchable(model, source, source_mask)
    longest = max_lengths(config, source_mask, prefixes)
    keys = range(len(longest)) if sentences is None else sentences
    if len(keys) != len(longest):
        raise ValueError(f"{len(keys)} sentence numbers for {len(longest)} sentences: give one each")
    rule = search_rule(config, longest, rules, prefixes)
    noise = uniforms(config.seed, keys, longest + 1)
    filters = filters_of(config)

    def draw(possible: Distribution, live: Live) -> Numbers:
        scores: Scores = in_memory(possible.logits)
        for narrow in filters:
            scores = narrow(scores)
        return invert(scores, noise[live.sentences, live.step])

    return rollout(model, source, source_mask, rule, draw, penalties(config.length_penalty, longest))


def uniforms(seed: int, sentences: Sequence[int], counts: Numbers) -> Sums:
    """counts [B] → [B, largest count] in [0, 1); row b depends on seed, sentences[b] and counts[b] only."""
    drawn = np.zeros((len(counts), counts.max(initial=0)))
    for row, (sentence, count) in enumerate(zip(sentences, counts.tolist(), strict=True)):
        key = blake2b(f"{seed} {sentence}".encode(), digest_size=16).digest()
        drawn[row, :count] = np.random.Generator(np.random.Philox(key=int.from_bytes(key))).random(count)
    return drawn


def invert(scores: Scores, noise: Sums) -> Numbers:
    """scores [R, V], noise [R] in [0, 1) → tokens [R]: the inverse cumulative distribution."""
    cumulative = probabilities(scores).cumsum(-1)
    totals = cumulative[:, -1]
    below = np.minimum(noise * totals, np.nextafter(totals, 0.0))
    return (cumulative <= below[:, None]).sum(-1).clip(max=scores.shape[1] - 1)


def probabilities(scores: Scores) -> Sums:
    """scores [R, V] → probabilities [R, V], float64; all 0 in a row in which no token is possible."""
    highest = scores.max(-1, keepdims=True)
    shares = np.exp(scores.astype(np.float64) - np.where(highest > NEVER, highest, 0))
    return shares / np.maximum(shares.sum(-1, keepdims=True), 1)  # the largest share is 1, where there is one


def filters_of(config: SamplingConfig) -> list[Filter]:
    """The config's filters in their order; one that does nothing is left out."""
    filters: list[Filter] = []
    if config.temperature != 1:
        filters.append(lambda scores: scores.astype(np.float64) / config.temperature)
    if config.top_k:
        filters.append(lambda scores: top_k(scores, config.top_k))
    if config.top_p < 1:
        filters.append(lambda scores: top_p(scores, config.top_p))
    return filters


def top_k(scores: Scores, k: int) -> Scores:
    """scores [R, V] → the k best, the rest -inf; ties go to the lower token (Fan et al. 2018, 5.4)."""
    size = scores.shape[1]
    if k >= size:
        return scores
    last = np.partition(scores, size - k, axis=1)[:, size - k, None]
    above, tied = scores > last, scores == last
    kept = above | (tied & (tied.cumsum(1) <= k - above.sum(1, keepdims=True)))
    return np.where(kept, scores, NEVER)


def top_p(scores: Scores, p: float) -> Scores:
    """scores [R, V] → the smallest set of best tokens whose mass reaches p, the rest -inf.

    Holtzman et al. 2020, section 3.1. The best token always stays; ties go to the lower token.
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    shares = probabilities(np.take_along_axis(scores, order, axis=1))
    outside = shares.cumsum(1) - shares >= p
    outside[:, 0] = False
    hidden = np.empty_like(outside)
    np.put_along_axis(hidden, order, outside, axis=1)
    return np.where(hidden, NEVER, scores)
