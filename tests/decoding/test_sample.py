"""Sampling: the right distribution, and the same sample in any company."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from polyhead.decoding.config import GreedyConfig, SamplingConfig
from polyhead.decoding.greedy import greedy
from polyhead.decoding.sample import invert, sample, top_k, top_p, uniforms
from polyhead.symbols import EOS

Make = Callable[..., Any]
Sources = Callable[..., tuple[Tensor, Tensor]]


@pytest.mark.parametrize("values", [{"temperature": 1e-4}, {"top_k": 1}, {"top_p": 1e-6}])
def test_without_freedom_it_is_greedy(table_model: Make, sources: Sources, values: dict[str, float]) -> None:
    model = table_model(12, seed=1)
    source, mask = sources(20)
    found = sample(model, source, mask, SamplingConfig.model_validate(values))
    assert found == greedy(model, source, mask, GreedyConfig())


@pytest.mark.parametrize("values", [{}, {"temperature": 0.5}, {"top_k": 3}, {"top_p": 0.7}])
def test_frequencies_are_the_probabilities(table_model: Make, values: dict[str, float]) -> None:
    draws = 4000
    model = table_model(9, seed=2, spread=1.0)
    source = torch.full((draws, 1), 7)
    found = sample(model, source, source > 0, SamplingConfig.model_validate({**values, "max_length": 1}))
    first = torch.tensor([one.tokens[0] if one.tokens else EOS for one in found])
    counts = torch.bincount(first, minlength=9).double()

    logits, _ = model.step(torch.tensor([2]), model.start(model.encode(source[:1], source[:1] > 0)))
    expected = logits[0].double().clone()
    expected[:3] = float("-inf")
    expected = (expected / values.get("temperature", 1.0)).softmax(-1)
    ordered = expected.argsort(descending=True)
    if "top_k" in values:
        expected[ordered[3:]] = 0
    if "top_p" in values:
        expected[ordered[(expected[ordered].cumsum(0) - expected[ordered]) >= 0.7]] = 0
    expected /= expected.sum()
    deviation = (expected * (1 - expected) * draws).sqrt()
    assert ((counts - expected * draws).abs() <= 4 * deviation).all()


def test_the_same_alone_and_in_any_company(tiny_gru: Make, sources: Sources) -> None:
    model = tiny_gru(40, seed=3)
    source, mask = sources(8)
    config = SamplingConfig(seed=11)
    together = sample(model, source, mask, config)
    for row in range(8):
        length = int(mask[row].sum())
        alone = sample(model, source[row : row + 1, :length], mask[row : row + 1, :length], config, sentences=[row])
        assert together[row].tokens == alone[0].tokens
    order = [5, 2, 7, 0]
    some = sample(model, source[order], mask[order], config, sentences=order)
    assert [one.tokens for one in some] == [together[row].tokens for row in order]


def test_seed_and_sentence_number_make_a_difference(table_model: Make) -> None:
    model = table_model(30, seed=4)
    source = torch.full((6, 2), 9)
    first = sample(model, source, source > 0, SamplingConfig(seed=0))
    second = sample(model, source, source > 0, SamplingConfig(seed=1))
    assert len({one.tokens for one in first + second}) > 8
    assert sample(model, source, source > 0, SamplingConfig(seed=0)) == first


def test_probabilities_are_the_models_own(table_model: Make, sources: Sources) -> None:
    model = table_model(12, seed=5)
    source, mask = sources(5)
    for row, one in enumerate(sample(model, source, mask, SamplingConfig(temperature=0.3, top_k=4))):
        forced = greedy(model, source[row : row + 1], mask[row : row + 1], prefixes=[one.tokens])[0]
        assert forced.token_log_probabilities[: len(one.tokens)] == one.token_log_probabilities[: len(one.tokens)]


def test_filters() -> None:
    row = torch.tensor([[0.1, 0.4, 0.1, 0.4]]).log()
    assert (top_k(row, 3) > float("-inf")).tolist() == [[True, True, False, True]]
    assert (top_p(row, 0.4) > float("-inf")).tolist() == [[False, True, False, False]]
    assert (top_p(row, 0.5) > float("-inf")).tolist() == [[False, True, False, True]]
    assert (top_p(row, 1e-9) > float("-inf")).tolist() == [[False, True, False, False]]


def test_invert_never_draws_the_impossible() -> None:
    row = torch.tensor([[0.0, 0.5, 0.0, 0.5, 0.0]]).log().expand(3, -1)
    noise = torch.tensor([0.0, 0.5, 1 - 2**-53], dtype=torch.float64)
    assert invert(row, noise).tolist() == [1, 3, 3]
    nothing = torch.full((1, 3), float("-inf"))
    assert invert(nothing, noise[:1]).tolist() == [2]  # in range: the caller sees its probability is 0


def test_uniforms_are_keyed_by_sentence() -> None:
    rows = uniforms(0, [3, 1], torch.tensor([4, 2]))
    assert rows.shape == (2, 4)
    assert torch.equal(uniforms(0, [1], torch.tensor([2]))[0], rows[1, :2])
    assert ((rows >= 0) & (rows < 1)).all()


def test_a_dead_end_gives_what_there_is(table_model: Make, sources: Sources) -> None:
    config = SamplingConfig(min_length=9, no_repeat_ngram=1, top_p=0.9)
    for one in sample(table_model(6, seed=5), *sources(3), config):
        assert not one.finished
        assert sorted(one.tokens) == [4, 5]


def test_numbers_must_fit_the_batch(table_model: Make, sources: Sources) -> None:
    with pytest.raises(ValueError, match="2 sentence numbers for 3 sentences"):
        sample(table_model(8, seed=0), *sources(3), sentences=[0, 1])


def test_no_sentences(table_model: Make) -> None:
    nothing = torch.empty(0, 0, dtype=torch.int64)
    assert sample(table_model(8, seed=0), nothing, nothing.bool()) == []
