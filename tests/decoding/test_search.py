"""The search that settings name."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from polyhead.decoding.beam import beam
from polyhead.decoding.config import BeamConfig, GreedyConfig, SamplingConfig, SearchConfig
from polyhead.decoding.greedy import greedy
from polyhead.decoding.rules import Forbid
from polyhead.decoding.sample import sample
from polyhead.decoding.search import search, width
from polyhead.decoding.trace import StepRecord
from polyhead.model.arrays import InArrays

Make = Callable[..., Any]
Sources = Callable[..., tuple[Tensor, Tensor]]
CONFIGS: list[SearchConfig] = [BeamConfig(beam_size=3, n_best=2), GreedyConfig(), SamplingConfig(seed=4, top_k=9)]


def test_each_setting_has_its_search(table_model: Make, sources: Sources) -> None:
    model, (source, mask) = table_model(9, seed=3), sources(4)
    assert search(model, source, mask, BeamConfig(beam_size=3)) == beam(model, source, mask, BeamConfig(beam_size=3))
    assert search(model, source, mask, GreedyConfig()) == [[one] for one in greedy(model, source, mask)]
    drawn = search(model, source, mask, SamplingConfig(seed=4), sentences=[7, 8, 9, 1])
    assert drawn == [[one] for one in sample(model, source, mask, SamplingConfig(seed=4), sentences=[7, 8, 9, 1])]
    with pytest.raises(TypeError, match="SearchConfig"):
        search(model, source, mask, SearchConfig())


def test_rules_prefixes_and_the_observer_reach_the_beam(table_model: Make, sources: Sources) -> None:
    seen: list[StepRecord] = []
    found = search(table_model(9, seed=3), *sources(2), BeamConfig(), prefixes=[[5, 6], [7]], observer=seen.append)
    assert [one[0].tokens[:1] for one in found] == [(5,), (7,)]
    assert seen


def test_a_beam_of_one_is_greedy_search(table_model: Make, sources: Sources) -> None:
    model, (source, mask) = table_model(30, seed=5), sources(12)
    config = BeamConfig(beam_size=1, length_penalty=1.0, max_length=9, min_length=3, no_repeat_ngram=2)
    seen: list[StepRecord] = []
    expected = search(model, source, mask, config, observer=seen.append)
    assert seen, "an observer is shown a beam"
    for ours, theirs in zip(search(model, source, mask, config), expected, strict=True):
        assert [one.tokens for one in ours] == [one.tokens for one in theirs]
        assert ours[0].score == pytest.approx(theirs[0].score, abs=1e-6)


def test_width() -> None:
    assert width(BeamConfig(beam_size=4)) == 4
    assert width(GreedyConfig()) == width(SamplingConfig()) == 1


@pytest.mark.parametrize("make", ["table_model", "tiny_gru"])
@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: type(config).__name__)
def test_a_model_of_tensors_is_put_in_arrays(
    request: pytest.FixtureRequest, sources: Sources, make: str, config: SearchConfig
) -> None:
    model, (source, mask) = request.getfixturevalue(make)(40, seed=6), sources(5)
    shared: dict[str, Any] = {"rules": [Forbid((9, 11))], "prefixes": [[4], [], [9, 9], [5, 6], []]}
    calls: list[int] = []
    found = search(model, source, mask, config, check=lambda: calls.append(1), **shared)
    count = len(calls)
    wrapped, given = InArrays(model), (source.numpy(), mask.numpy())
    assert found == search(wrapped, *given, config, check=lambda: calls.append(1), **shared)
    assert len(calls) == 2 * count > 2
    assert "Tensor" not in repr(found)


def test_the_searches_themselves_put_it_in_arrays_too(table_model: Make, sources: Sources) -> None:
    model, (source, mask) = table_model(40, seed=6), sources(5)
    wrapped, given = InArrays(model), (source.numpy(), mask.numpy())
    assert beam(model, source, mask) == beam(wrapped, *given)
    assert greedy(model, source, mask) == greedy(wrapped, *given)
    assert sample(model, source, mask) == sample(wrapped, *given)


class Half:
    """The same model with logits in half precision."""

    def __init__(self, model: Any, dtype: torch.dtype) -> None:
        self.model, self.dtype = model, dtype
        self.encode, self.start = model.encode, model.start

    def step(self, previous: Tensor, state: Any) -> tuple[Tensor, Any]:
        logits, after = self.model.step(previous, state)
        return logits.to(self.dtype).t().contiguous().t(), after


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: type(config).__name__)
def test_logits_in_half_precision_are_summed_in_single(
    table_model: Make, sources: Sources, dtype: torch.dtype, config: SearchConfig
) -> None:
    model = table_model(40, seed=7)
    half = Half(model, dtype)
    model.table = model.table.to(dtype).float()
    assert search(half, *sources(5), config) == search(model, *sources(5), config)
