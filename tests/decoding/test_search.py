"""The search that settings name."""

from collections.abc import Callable
from typing import Any

import pytest
from torch import Tensor

from polyhead.decoding.beam import beam
from polyhead.decoding.config import BeamConfig, GreedyConfig, SamplingConfig, SearchConfig
from polyhead.decoding.greedy import greedy
from polyhead.decoding.sample import sample
from polyhead.decoding.search import search, width
from polyhead.decoding.trace import StepRecord

Make = Callable[..., Any]
Sources = Callable[..., tuple[Tensor, Tensor]]


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
