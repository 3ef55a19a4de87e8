"""Greedy search: the most probable token at every step."""

from collections.abc import Sequence

import torch
from torch import Tensor

from polyhead.decoding.config import GreedyConfig
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.length_penalty import penalties
from polyhead.decoding.rollout import rollout
from polyhead.decoding.rules import Rule, max_lengths, search_rule
from polyhead.model.seq2seq import S, Seq2Seq


@torch.inference_mode()
def greedy(
    model: Seq2Seq[S],
    source: Tensor,
    source_mask: Tensor,
    config: GreedyConfig | None = None,
    *,
    rules: Sequence[Rule] = (),
    prefixes: Sequence[Sequence[int]] = (),
) -> list[Hypothesis]:
    """source [B, S] int64, source_mask [B, S] bool → one hypothesis for every sentence, in order.

    `rules` come on top of the config's; `prefixes` gives every sentence the tokens its output must begin with.
    The model must be in eval mode. Of equally probable tokens the one with the lower number wins.
    Raises ValueError if there are prefixes, but not one for every sentence.
    """
    config = config or GreedyConfig()
    longest = max_lengths(config, source_mask, prefixes)
    rule = search_rule(config, longest, rules, prefixes)
    penalty = penalties(config.length_penalty, longest.cpu().numpy())
    return rollout(model, source, source_mask, rule, lambda possible, _: possible.most_probable(), penalty)
