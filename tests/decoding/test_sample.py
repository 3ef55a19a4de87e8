"""Sampling: the right distribution, and the same sample in any company."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor

from polyhead.decoding.config import GreedyConfig, SamplingConfig
from polyhead.decoding.greedy import greedy
from polyhead.decoding.sample import Scores, invert, probabilities, sample, top_k, top_p, uniforms
from polyhead.model.arrays import InArrays
from polyhead.symbols import EOS

Make = Callable[..., Any]
Sources = Callable[..., tuple[Tensor, Tensor]]
Arrays = Callable[..., tuple[NDArray[Any], NDArray[Any]]]
NEVER = float("-inf")


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


@given(
    numbers=st.lists(st.integers(0, 8), min_size=1, max_size=8, unique=True),
    values=st.sampled_from([{}, {"temperature": 0.7}, {"top_k": 3}, {"top_p": 0.6}, {"no_repeat_ngram": 1}]),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_in_exact_arithmetic_the_batch_changes_not_one_bit(
    table_model: Make, arrays: Arrays, numbers: list[int], values: dict[str, Any], seed: int
) -> None:
    model, (source, mask) = InArrays(table_model(30, seed=8)), arrays(9)
    config = SamplingConfig.model_validate({**values, "seed": seed, "max_length_offset": 5})
    together = sample(model, source, mask, config)
    some = sample(model, source[numbers], mask[numbers], config, sentences=numbers)
    assert some == [together[number] for number in numbers]


def test_one_sentence_under_several_numbers_gives_several_samples(table_model: Make, arrays: Arrays) -> None:
    model, (source, mask) = InArrays(table_model(30, seed=4)), arrays(1)
    several = sample(model, source.repeat(20, 0), mask.repeat(20, 0), sentences=[*range(10), *range(10)])
    assert several[:10] == several[10:]
    assert len(set(several)) > 5


def test_filters() -> None:
    row = np.log(np.array([[0.1, 0.4, 0.1, 0.4]], np.float32))
    assert (top_k(row, 3) > NEVER).tolist() == [[True, True, False, True]]
    assert (top_p(row, 0.4) > NEVER).tolist() == [[False, True, False, False]]
    assert (top_p(row, 0.5) > NEVER).tolist() == [[False, True, False, True]]
    assert (top_p(row, 1e-9) > NEVER).tolist() == [[False, True, False, False]]


def drawn(levels: int, seed: int, dtype: Any, vocabulary: int = 12) -> Scores:
    """Scores [6, V] with many ties; some are -inf, and in the last row all of them."""
    draw = np.random.default_rng(seed)
    scores = draw.integers(-levels, 1, (6, vocabulary)).astype(dtype) / 2
    scores[scores == 0] *= draw.choice([-1, 1], (scores == 0).sum())  # minus zero is no less than zero
    scores[draw.random(scores.shape) < 0.3] = NEVER
    scores[0, 0], scores[5] = 0, NEVER
    return scores


def best_first(row: NDArray[Any]) -> list[int]:
    """The possible tokens, ties by the lower number."""
    return sorted((row > NEVER).nonzero()[0].tolist(), key=lambda token: (-row[token], token))


def kept(scores: Scores, after: Scores) -> list[set[int]]:
    """What a filter leaves possible in each row; checks that it leaves that as it is."""
    left = after > NEVER
    assert after.dtype == scores.dtype
    assert np.array_equal(after[left], scores[left])
    return [set(row.nonzero()[0].tolist()) for row in left]


examples = given(
    levels=st.integers(0, 20), seed=st.integers(0, 10_000), dtype=st.sampled_from([np.float32, np.float64])
)


@examples
@settings(max_examples=100)
def test_top_k_keeps_the_first_of_a_stable_sort(levels: int, seed: int, dtype: Any) -> None:
    scores = drawn(levels, seed, dtype)
    before = scores.copy()
    for k in (1, 2, 5, 11, 12, 40):
        assert kept(scores, top_k(scores, k)) == [set(best_first(row)[:k]) for row in scores]
    assert np.array_equal(scores, before)


@examples
@settings(max_examples=100)
def test_top_p_keeps_the_first_of_a_stable_sort_whose_mass_reaches_p(levels: int, seed: int, dtype: Any) -> None:
    scores = drawn(levels, seed, dtype)
    before = scores.copy()
    for p in (1e-9, 0.3, 0.62, 0.9, 0.999):
        expected: list[set[int]] = []
        for row in scores:
            order = best_first(row)
            shares = np.exp(row[order].astype(float))
            mass = (shares.cumsum() - shares) / shares.sum()  # before each token
            assume((abs(mass[1:] - p) > 1e-10).all())
            expected.append({token for token, less in zip(order, mass < p, strict=True) if less})
        assert kept(scores, top_p(scores, p)) == expected
    assert np.array_equal(scores, before)


@examples
@settings(max_examples=100)
def test_probabilities_add_up_where_anything_is_possible(levels: int, seed: int, dtype: Any) -> None:
    scores = drawn(levels, seed, dtype) - dtype(700)
    found = probabilities(scores)
    assert found.dtype == np.float64
    assert found[:5].sum(-1) == pytest.approx(np.ones(5), abs=1e-12)
    np.testing.assert_allclose(found[:5], torch.from_numpy(scores[:5]).double().softmax(-1).numpy(), rtol=1e-12)
    assert ((found == 0) == (scores == NEVER)).all()


def test_where_nothing_is_possible_every_probability_is_zero() -> None:
    nothing = np.full((2, 5), NEVER, np.float32)
    for scores in (nothing, nothing.astype(np.float64), top_k(nothing, 2), top_p(nothing, 0.5)):
        assert (probabilities(scores) == 0).all()
        assert (invert(scores, np.array([0.0, 0.9])) == 4).all()  # in range


def test_invert_never_draws_the_impossible() -> None:
    with np.errstate(divide="ignore"):
        row = np.log(np.array([[0.0, 0.5, 0.0, 0.5, 0.0]], np.float32)).repeat(3, 0)
    noise = np.array([0.0, 0.5, 1 - 2**-53])
    assert invert(row, noise).tolist() == [1, 3, 3]
    nothing = np.full((1, 3), NEVER, np.float32)
    assert invert(nothing, noise[:1]).tolist() == [2]  # in range: the caller sees its probability is 0


def test_invert_of_equal_scores() -> None:
    row = np.full((8, 7), NEVER, np.float32)
    row[:, [1, 2, 4, 5]] = -3.5
    noise = np.array([0, 0.25, 0.5, 0.75, *np.nextafter([0.25, 0.5, 0.75, 1.0], 0)])
    assert invert(row, noise).tolist() == [1, 2, 4, 5, 1, 2, 4, 5]


@examples
@settings(max_examples=100)
def test_invert_is_where_the_cumulative_distribution_first_exceeds_the_noise(
    levels: int, seed: int, dtype: Any
) -> None:
    scores = drawn(levels, seed, dtype)[:5]
    draw = np.random.default_rng(seed)
    for noise in (draw.random(5), np.zeros(5), np.full(5, 1 - 2**-53)):
        found = invert(scores, noise)
        for row, token, u in zip(scores, found.tolist(), noise.tolist(), strict=True):
            shares = np.exp(row.astype(float))
            ends = shares.cumsum() / shares.sum()
            assert row[token] > NEVER
            assert ends[token] - shares[token] / shares.sum() - 1e-12 <= u <= ends[token] + 1e-12


def test_uniforms_are_keyed_by_sentence() -> None:
    rows = uniforms(0, [3, 1], np.array([4, 2]))
    assert rows.shape == (2, 4)
    assert np.array_equal(uniforms(0, [1], np.array([2]))[0], rows[1, :2])
    assert ((rows >= 0) & (rows < 1)).all()
    assert rows.dtype == np.float64
    assert len({*rows[0], *rows[1, :2], *uniforms(1, [3], np.array([4]))[0]}) == 10


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
