"""Sampling translations: temperature, top-k, top-p, the same for a sentence whatever else is in the batch.

Every sentence has its own stream of uniform numbers u_1, u_2, …, keyed by (seed, sentence); token t is where the
cumulative distribution first exceeds u_t, so that it comes with exactly its probability.
Shapes: B sentences, R live rows, S source length, V vocabulary.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import cast

import torch
from torch import Tensor

from polyhead.decoding.config import SamplingConfig
from polyhead.decoding.distribution import Distribution, Numbers, largest
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.length_penalty import penalties
from polyhead.decoding.rollout import rollout
from polyhead.decoding.rules import NEVER, Live, Rule, max_lengths, search_rule
from polyhead.model.seq2seq import S, Seq2Seq

Filter = Callable[[Tensor], Tensor]
"""Log-probabilities [R, V], unnormalised → the distribution to draw from, unnormalised."""


@torch.inference_mode()
def sample(
    model: Seq2Seq[S],
    source: Tensor,
    source_mask: Tensor,
    config: SamplingConfig | None = None,
    *,
    sentences: Sequence[int] | None = None,
    rules: Sequence[Rule] = (),
    prefixes: Sequence[Sequence[int]] = (),
) -> list[Hypothesis]:
    """source [B, S] int64, source_mask [B, S] bool → one sampled hypothesis for every sentence, in order.

    `sentences` are the numbers that key the sentences' randomness, 0 … B-1 unless given: for several samples of one
    sentence repeat its row under different numbers. Probabilities in the result are the model's own, before
    temperature and filters. `rules` and `prefixes` as in `greedy`. The model must be in eval mode.
    Raises ValueError if `sentences` or `prefixes` are given, but not one for every sentence.
    """
    config = config or SamplingConfig()
    longest = max_lengths(config, source_mask, prefixes)
    keys = range(len(longest)) if sentences is None else sentences
    if len(keys) != len(longest):
        raise ValueError(f"{len(keys)} sentence numbers for {len(longest)} sentences: give one each")
    rule = search_rule(config, longest, rules, prefixes)
    noise = uniforms(config.seed, keys, longest + 1).to(source.device)
    filters = filters_of(config)

    def draw(possible: Distribution, live: Live) -> Numbers:
        scores = possible.logits
        for narrow in filters:
            scores = narrow(scores)
        return invert(scores, noise[live.sentences, live.step]).cpu().numpy()

    penalty = penalties(config.length_penalty, longest.cpu().numpy())
    return rollout(model, source, source_mask, rule, draw, penalty)


def uniforms(seed: int, sentences: Sequence[int], counts: Tensor) -> Tensor:
    """counts [B] int64 → [B, largest count] float64 in [0, 1); row b depends on seed, sentences[b], counts[b] only."""
    generator = torch.Generator()
    rows: list[Tensor] = []
    sizes = cast("list[int]", counts.tolist())
    for sentence, count in zip(sentences, sizes, strict=True):
        key = blake2b(f"{seed} {sentence}".encode(), digest_size=8).digest()
        generator.manual_seed(int.from_bytes(key) >> 1)
        rows.append(torch.rand(count, dtype=torch.float64, generator=generator))
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True) if rows else torch.empty(0, 0, dtype=torch.float64)


def invert(log_probabilities: Tensor, noise: Tensor) -> Tensor:
    """log_probabilities [R, V] unnormalised, noise [R] in [0, 1) → tokens [R]: the inverse cumulative distribution."""
    cumulative = log_probabilities.double().softmax(-1).nan_to_num(0.0).cumsum(-1)  # NaN: no token is possible
    totals = cumulative[:, -1]
    below = torch.minimum(noise * totals, torch.nextafter(totals, torch.zeros_like(totals)))
    tokens = torch.searchsorted(cumulative, below[:, None], right=True)[:, 0]
    return tokens.clamp(max=log_probabilities.size(1) - 1)


def filters_of(config: SamplingConfig) -> list[Filter]:
    """The config's filters in their order; one that does nothing is left out."""
    filters: list[Filter] = []
    if config.temperature != 1:
        filters.append(lambda log_probabilities: log_probabilities.double() / config.temperature)
    if config.top_k:
        filters.append(lambda log_probabilities: top_k(log_probabilities, config.top_k))
    if config.top_p < 1:
        filters.append(lambda log_probabilities: top_p(log_probabilities, config.top_p))
    return filters


def top_k(log_probabilities: Tensor, k: int) -> Tensor:
    """log_probabilities [R, V] → the k best, the rest -inf; ties go to the lower token (Fan et al. 2018, 5.4)."""
    tokens = largest(log_probabilities.float(), k)
    kept = log_probabilities.gather(1, tokens)
    return torch.full_like(log_probabilities, NEVER).scatter_(1, tokens, kept)


def top_p(log_probabilities: Tensor, p: float) -> Tensor:
    """log_probabilities [R, V] → the smallest set of best tokens whose mass reaches p, the rest -inf.

    Holtzman et al. 2020, section 3.1. The best token always stays; ties go to the lower token.
    """
    ordered, tokens = log_probabilities.sort(dim=1, descending=True, stable=True)
    probabilities = ordered.double().softmax(-1)
    before = probabilities.cumsum(-1) - probabilities
    outside = before >= p
    outside[:, 0] = False
    return log_probabilities.masked_fill(torch.zeros_like(outside).scatter_(1, tokens, outside), NEVER)
