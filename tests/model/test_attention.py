"""Equation 1 and its multi-head form against their definitions."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor

from polyhead.model.attention import MultiHeadAttention, ScaledDotProductAttention, attention_weights

Array = NDArray[np.float64]
attention = ScaledDotProductAttention()


def reference(query: Array, key: Array, value: Array, mask: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Equation 1 for one head, row by row, over the keys that may be seen; nothing to see gives zero."""
    weights = np.zeros((len(query), len(key)))
    for t, q in enumerate(query):
        seen = np.flatnonzero(mask[t])
        scores = key[seen] @ q / math.sqrt(len(q))
        powers = np.exp(scores - scores.max(initial=-np.inf))
        weights[t, seen] = powers / powers.sum()
    return weights @ value, weights


@st.composite
def inputs(draw: st.DrawFn) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """query, key, value of any small shape, and a mask that may hide everything."""
    batch, heads, queries, keys = (draw(st.integers(1, high)) for high in (3, 3, 6, 7))
    d_k, d_v = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    spread = draw(st.sampled_from([0.1, 1.0, 10.0]))
    query = torch.randn(batch, heads, queries, d_k, generator=generator) * spread
    key = torch.randn(batch, heads, keys, d_k, generator=generator)
    value = torch.randn(batch, heads, keys, d_v, generator=generator)
    visible = torch.rand(batch, 1, queries, keys, generator=generator) < draw(st.sampled_from([0.0, 0.3, 0.8, 1.1]))
    return query, key, value, visible


@given(inputs())
def test_attention_equals_its_definition_in_float64(drawn: tuple[Tensor, Tensor, Tensor, Tensor]) -> None:
    query, key, value, mask = drawn
    context, weights = attention(query, key, value, mask), attention_weights(query, key, mask)
    for b in range(query.size(0)):
        for h in range(query.size(1)):
            q, k, v = (x[b, h].double().numpy() for x in (query, key, value))
            expected_context, expected_weights = reference(q, k, v, mask[b, 0].numpy())
            np.testing.assert_allclose(weights[b, h].numpy(), expected_weights, atol=1e-5)
            np.testing.assert_allclose(context[b, h].numpy(), expected_context, atol=2e-5)


@given(inputs())
def test_rows_of_weights_sum_to_one_and_masked_keys_weigh_exactly_nothing(
    drawn: tuple[Tensor, Tensor, Tensor, Tensor],
) -> None:
    query, key, _, mask = drawn
    weights = attention_weights(query, key, mask)
    assert (weights >= 0).all()
    assert (weights.masked_select(~mask) == 0).all()
    torch.testing.assert_close(weights.sum(-1), mask.any(-1).float().expand(weights.shape[:-1]))


@given(inputs())
def test_no_mask_is_a_mask_that_hides_nothing(drawn: tuple[Tensor, Tensor, Tensor, Tensor]) -> None:
    query, key, value, mask = drawn
    torch.testing.assert_close(attention(query, key, value), attention(query, key, value, torch.ones_like(mask)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_row_that_sees_nothing_is_zero_and_passes_no_gradient(dtype: torch.dtype) -> None:
    query, key, value = (torch.randn(1, 2, 3, 4).to(dtype).requires_grad_() for _ in range(3))
    mask = torch.tensor([[True, False, True], [False, False, False], [True, True, True]])
    context = attention(query, key, value, mask)
    assert (context[:, :, 1] == 0).all()
    context.float().square().sum().backward()
    assert query.grad is not None
    assert (query.grad[:, :, 1] == 0).all()
    assert all(x.grad is not None and x.grad.isfinite().all() for x in (query, key, value))


@pytest.mark.parametrize(
    "shape", [None, (5,), (4, 5), (2, 1, 1, 5), (1, 1, 4, 5), (2, 1, 4, 5), (2, 3, 4, 5), (1, 1, 4, 1)]
)
def test_weights_and_gradients_of_bfloat16_are_near_float64s(shape: tuple[int, ...] | None) -> None:
    query, key = (
        torch.randn(2, 3, 4, 8).bfloat16().requires_grad_(),
        torch.randn(2, 3, 5, 8).bfloat16().requires_grad_(),
    )
    mask = torch.rand(shape) > 0.4 if shape is not None else None
    wide = [x.detach().double().requires_grad_() for x in (query, key)]
    found, expected = attention_weights(query, key, mask), attention_weights(wide[0], wide[1], mask)
    gradient = torch.randn(2, 3, 4, 5).bfloat16()
    got = torch.autograd.grad(found, [query, key], gradient)
    wanted = torch.autograd.grad(expected, wide, gradient.double())
    with torch.no_grad():
        torch.testing.assert_close(attention_weights(query, key, mask), found, atol=0.01, rtol=0)
    assert ((found == 0) == (expected == 0)).all()
    for actual, value in zip((found.detach(), *got), (expected.detach(), *wanted), strict=True):
        assert float((actual - value).norm()) < 0.02 * float(value.norm())


def test_huge_scores_saturate_without_nan() -> None:
    query, key = torch.full((1, 1, 1, 4), 1e18), torch.tensor([[[[1e18] * 4, [-1e18] * 4]]])
    assert attention_weights(query, key).tolist() == [[[[1.0, 0.0]]]]


def test_scaling_keeps_the_scores_at_unit_variance() -> None:
    """Section 3.2.1: q·k of unit normals has variance d_k; divided by √d_k it has 1, whatever d_k is."""
    for d_k in (4, 64, 1024):
        query, key = torch.randn(1, 1, 200, d_k), torch.randn(1, 1, 200, d_k)
        logits = attention_weights(query, key).log()
        assert float((logits - logits.mean(-1, keepdim=True)).std()) == pytest.approx(1.0, abs=0.05)


def test_the_lectures_mixture_of_values() -> None:
    """The output is the weighted sum of the values, here 0.7, 0.2, 0.1 and 0."""
    wanted = torch.tensor([0.7, 0.2, 0.1])
    key = torch.cat([wanted.log(), torch.zeros(1)])[None, None, :, None]
    mask = torch.tensor([True, True, True, False])
    query = torch.ones(1, 1, 1, 1)
    context, weights = attention(query, key, torch.eye(4)[None, None], mask), attention_weights(query, key, mask)
    torch.testing.assert_close(weights.flatten(), torch.tensor([0.7, 0.2, 0.1, 0.0]))
    torch.testing.assert_close(context.flatten(), weights.flatten())


def test_dropout_of_weights_keeps_the_mean_and_is_off_in_evaluation() -> None:
    module = ScaledDotProductAttention(0.5)
    query, key, value = torch.randn(1, 1, 2000, 4), torch.randn(1, 1, 5, 4), torch.randn(1, 1, 5, 3)
    expected = attention(query, key, value)
    noisy = module(query, key, value)
    assert not torch.allclose(noisy, expected, atol=1e-3)
    torch.testing.assert_close(noisy.mean((0, 1, 2)), expected.mean((0, 1, 2)), atol=0.05, rtol=0)
    torch.testing.assert_close(module.eval()(query, key, value), expected, atol=1e-5, rtol=1e-5)


@pytest.fixture
def heads() -> MultiHeadAttention:
    module = MultiHeadAttention(d_model=12, num_heads=3)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_()
    return module


def by_hand(module: MultiHeadAttention, x: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
    """Concat(head_1 … head_H) W^O, one head after another, each with W_i^Q, W_i^K, W_i^V of its own (section 3.2.2)."""
    d_model = x.size(-1)
    d_k = d_model // module.num_heads
    weight, bias = module.query_key_value.weight, module.query_key_value.bias
    found: list[Tensor] = []
    for i in range(module.num_heads):
        own = [slice(part * d_model + i * d_k, part * d_model + (i + 1) * d_k) for part in range(3)]
        query, key, value = (y @ weight[rows].T + bias[rows] for y, rows in zip((x, memory, memory), own, strict=True))
        scores = query @ key.transpose(1, 2) / math.sqrt(d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        found.append(scores.softmax(-1) @ value)
    return torch.cat(found, -1) @ module.output.weight.T + module.output.bias


@pytest.mark.parametrize("masked", [False, True])
def test_self_attention_is_the_heads_concatenated(heads: MultiHeadAttention, masked: bool) -> None:
    x = torch.randn(2, 5, 12)
    mask = torch.ones(5, 5, dtype=torch.bool).tril() if masked else None
    out = heads(x, x, None if mask is None else mask[None, None])
    assert out.shape == x.shape
    torch.testing.assert_close(out, by_hand(heads, x, x, mask), atol=1e-4, rtol=1e-4)


def test_cross_attention_takes_queries_from_one_sequence_and_keys_and_values_from_the_other(
    heads: MultiHeadAttention,
) -> None:
    x, memory = torch.randn(2, 4, 12), torch.randn(2, 7, 12)
    mask = torch.arange(7) < torch.tensor([[7], [3]])
    out = heads(x, memory, mask[:, None, None])
    torch.testing.assert_close(out, by_hand(heads, x, memory, mask[:, None]), atol=1e-4, rtol=1e-4)
