"""One search by its settings: beam, greedy or sampling."""

from collections.abc import Callable, Sequence

from polyhead.decoding.beam import beam
from polyhead.decoding.cancellable import cancellable
from polyhead.decoding.config import BeamConfig, GreedyConfig, SamplingConfig, SearchConfig
from polyhead.decoding.greedy import greedy
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.rules import Rule
from polyhead.decoding.sample import sample
from polyhead.decoding.searchable import Mask, Model, Source, searchable
from polyhead.decoding.trace import Observer


def search(
    model: Model,
    source: Source,
    source_mask: Mask,
    config: SearchConfig,
    *,
    sentences: Sequence[int] | None = None,
    rules: Sequence[Rule] = (),
    prefixes: Sequence[Sequence[int]] = (),
    observer: Observer | None = None,
    check: Callable[[], None] | None = None,
) -> list[list[Hypothesis]]:
    """source [B, S] int64, source_mask [B, S] bool → every sentence's hypotheses, best first.

    Source and mask are arrays or, for a PyTorch model, tensors on its device.

    `sentences` key the randomness of samples (see `sample`), `observer` is shown the steps of a beam search, `check` is
    called before every step and ends the search by raising, and the other arguments are those of `beam`.
    Raises TypeError for settings of an unknown kind.
    """
    model, source, source_mask = searchable(model, source, source_mask)
    if check is not None:
        model = cancellable(model, check)
    if isinstance(config, BeamConfig) and config.beam_size == 1 and observer is None:
        # one hypothesis needs none of a beam's bookkeeping
        shared = {name: getattr(config, name) for name in SearchConfig.model_fields}
        config = GreedyConfig.model_validate(shared)
    if isinstance(config, BeamConfig):
        return beam(model, source, source_mask, config, rules=rules, prefixes=prefixes, observer=observer)
    if isinstance(config, SamplingConfig):
        drawn = sample(model, source, source_mask, config, sentences=sentences, rules=rules, prefixes=prefixes)
        return [[hypothesis] for hypothesis in drawn]
    if isinstance(config, GreedyConfig):
        return [[best] for best in greedy(model, source, source_mask, config, rules=rules, prefixes=prefixes)]
    raise TypeError(f"no search for {type(config).__name__}")


def width(config: SearchConfig) -> int:
    """How many hypotheses a sentence may have at a time."""
    return config.beam_size if isinstance(config, BeamConfig) else 1
