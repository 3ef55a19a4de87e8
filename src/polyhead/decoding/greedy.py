"""Greedy search: the most probable token at every step."""

from collections.abc import Sequence

from polyhead.decoding.config import GreedyConfig
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.length_penalty import penalties
from polyhead.decoding.rollout import rollout
from polyhead.decoding.rules import Rule, max_lengths, search_rule
from polyhead.decoding.searchable import Mask, Model, Source, searchable


def greedy(
    model: Model,
    source: Source,
    source_mask: Mask,
    config: GreedyConfig | None = None,
    *,
    rules: Sequence[Rule] = (),
    prefixes: Sequence[Sequence[int]] = (),
) -> list[Hypothesis]:
    """source [B, S] int64, source_mask [B, S] bool → one hypothesis for every sentence, in order.

    Source and mask are arrays or, for a PyTorch model, tensors on its device.

    `rules` come on top of the config's; `prefixes` gives every sentence the tokens its output must begin with.
    The model must be in eval mode. Of equally probable tokens the one with the lower number wins.
    Raises ValueError if there are prefixes, but not one for every sentence.
    """
    config = config or GreedyConfig()
    model, source, source_mask = searchable(model, source, source_mask)
    longest = max_lengths(config, source_mask, prefixes)
    rule = search_rule(config, longest, rules, prefixes)
    penalty = penalties(config.length_penalty, longest)
    return rollout(model, source, source_mask, rule, lambda possible, _: possible.most_probable(), penalty)
