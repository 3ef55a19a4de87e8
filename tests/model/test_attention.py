"""Equation 1 and its multi-head form against their definitions."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor, nn

from polyhead.kernels.attention.sight import Sight
from polyhead.model import attention as attention_module
from polyhead.model.attention import (
    ExplicitCore,
    FastestCore,
    FusedCore,
    MultiHeadAttention,
    attention,
    attention_weights,
)
from polyhead.model.one_core.attention import _scratch
from polyhead.model.one_core.heads import heads_apart, whole
from tests.marks import unpadded_formats

Array = NDArray[np.float64]
CORES: list[type[nn.Module]] = [ExplicitCore, FusedCore, FastestCore]


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
    context, weights = attention(query, key, value, mask)
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
    for core in (ExplicitCore(), FusedCore()):
        torch.testing.assert_close(core(query, key, value), core(query, key, value, torch.ones_like(mask)))


@given(inputs())
def test_fused_core_equals_explicit_core(drawn: tuple[Tensor, Tensor, Tensor, Tensor]) -> None:
    """Values and gradients, rows that see nothing included; no NaN in either direction."""
    *leaves, mask = drawn
    results: list[tuple[Tensor, ...]] = []
    for core in (ExplicitCore(), FusedCore()):
        parts = [leaf.clone().requires_grad_() for leaf in leaves]
        context = core(*parts, mask)
        context.square().sum().backward()
        results.append((context.detach(), *(part.grad for part in parts if part.grad is not None)))
    assert all(x.isfinite().all() for result in results for x in result)
    torch.testing.assert_close(results[1], results[0], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("core", CORES)
def test_a_row_that_sees_nothing_is_zero_and_passes_no_gradient(core: type[nn.Module], dtype: torch.dtype) -> None:
    query, key, value = (torch.randn(1, 2, 3, 4).to(dtype).requires_grad_() for _ in range(3))
    mask = torch.tensor([[True, False, True], [False, False, False], [True, True, True]])
    context = core()(query, key, value, mask)
    assert (context[:, :, 1] == 0).all()
    context.float().square().sum().backward()
    assert query.grad is not None
    assert (query.grad[:, :, 1] == 0).all()
    assert all(x.grad is not None and x.grad.isfinite().all() for x in (query, key, value))


@pytest.mark.parametrize(
    "shape", [None, (5,), (4, 5), (2, 1, 1, 5), (1, 1, 4, 5), (2, 1, 4, 5), (2, 3, 4, 5), (1, 1, 4, 1)]
)
def test_weights_and_gradients_of_bfloat16_are_near_float64s(shape: tuple[int, ...] | None) -> None:
    """Where gradients are recorded a kernel computes them; without, PyTorch's operations."""
    query, key = (
        torch.randn(2, 3, 4, 8).bfloat16().requires_grad_(),
        torch.randn(2, 3, 5, 8).bfloat16().requires_grad_(),
    )
    mask = torch.rand(shape) > 0.4 if shape is not None else None
    wide = [x.detach().double().requires_grad_() for x in (query, key)]
    found, expected = attention_weights(query, key, mask), attention_weights(wide[0], wide[1], mask)
    assert "_SoftmaxBackward" in str(found.grad_fn)
    gradient = torch.randn(2, 3, 4, 5).bfloat16()
    got = torch.autograd.grad(found, [query, key], gradient)
    wanted = torch.autograd.grad(expected, wide, gradient.double())
    with torch.no_grad():
        torch.testing.assert_close(attention_weights(query, key, mask), found, atol=0.01, rtol=0)
    assert ((found == 0) == (expected == 0)).all()
    for actual, value in zip((found.detach(), *got), (expected.detach(), *wanted), strict=True):
        assert float((actual - value).norm()) < 0.02 * float(value.norm())


@pytest.mark.parametrize("shape", [None, (2, 1, 1, 5), (1, 1, 4, 5), (2, 3, 4, 5)])
def test_context_and_gradients_of_bfloat16_are_near_float64s(shape: tuple[int, ...] | None) -> None:
    parts = [torch.randn(2, 3, length, 8).bfloat16().requires_grad_() for length in (4, 5, 5)]
    mask = torch.rand(shape) > 0.4 if shape is not None else None
    wide = [x.detach().double().requires_grad_() for x in parts]
    found, expected = ExplicitCore()(*parts, mask), ExplicitCore()(*wide, mask)
    assert "_AttentionBackward" in str(found.grad_fn)
    gradient = torch.randn(2, 3, 4, 8).bfloat16()
    got = torch.autograd.grad(found, parts, gradient)
    wanted = torch.autograd.grad(expected, wide, gradient.double())
    for actual, value in zip((found.detach(), *got), (expected.detach(), *wanted), strict=True):
        assert float((actual - value).norm()) < 0.02 * float(value.norm())


lengths = st.lists(st.integers(1, 20) | st.integers(15, 70), min_size=1, max_size=4)


@unpadded_formats
@given(lengths, st.booleans(), st.integers(1, 3), st.integers(1, 3), st.integers(0, 20), st.data())
def test_attention_without_padding_is_near_float64s(
    dtype: torch.dtype, queries: list[int], itself: bool, heads: int, pieces: int, spare: int, data: st.DataObject
) -> None:
    """Sentence by sentence; rows that are none's, all of them no number, are not read and get zeros.

    Nor is there a number in the room that it works in, before.
    """
    _scratch.take("room", (1 << 20,), torch.uint8).fill_(0xFF)
    keys = queries if itself else [data.draw(st.integers(1, 70)) for _ in queries]
    ahead = not itself or data.draw(st.booleans())
    torch.manual_seed(data.draw(st.integers(0, 9)))
    starts, of_keys = (np.array([0, *np.cumsum(each)]) for each in (queries, keys))
    width = 32 * pieces * heads
    sizes = [(starts, 3)] if itself else [(starts, 1), (of_keys, 2)]
    given_ = [_then_nothing(int(each[-1]), spare, width * parts, dtype).requires_grad_() for each, parts in sizes]
    parts = [part for x, (_, count) in zip(given_, sizes, strict=True) for part in heads_apart(x, count, heads)]
    gradient = _then_nothing(int(starts[-1]), spare, width, dtype)
    context = FastestCore()(*parts, Sight(starts, of_keys, ahead)).transpose(0, 1).flatten(1)
    assert "InRows" in _history(context)
    found = [context.detach(), *torch.autograd.grad(context, given_, gradient)]
    assert all((x[len(x) - spare :] == 0).all() for x in found)

    wide = [x.detach().double().requires_grad_() for x in given_]
    parts = [part for x, (_, count) in zip(wide, sizes, strict=True) for part in heads_apart(x, count, heads)]
    contexts: list[Tensor] = []
    for (a, b), (c, d) in zip(pairwise(starts), pairwise(of_keys), strict=True):
        mask = None if ahead else torch.ones(b - a, b - a, dtype=torch.bool).tril()
        contexts.append(attention(parts[0][:, a:b], parts[1][:, c:d], parts[2][:, c:d], mask)[0])
    expected = torch.cat(contexts, 1).transpose(0, 1).flatten(1)
    wanted = [expected.detach(), *torch.autograd.grad(expected, wide, gradient[: len(expected)].double())]
    near = 0.02 if dtype == torch.bfloat16 else 1e-5
    for actual, value in zip(found, wanted, strict=True):
        actual, value = actual[: len(actual) - spare], value[: len(actual) - spare]
        assert float((actual - value).norm()) <= near * (float(value.norm()) + 1)


def _then_nothing(rows: int, spare: int, width: int, dtype: torch.dtype) -> Tensor:
    """[rows + spare, width] of which the last ones must not be read."""
    return torch.cat([torch.randn(rows, width), torch.full((spare, width), math.nan)]).to(dtype)


def _history(x: Tensor) -> str:
    """What a tensor was made by, the last three steps."""
    steps, step = [], x.grad_fn
    while step is not None and len(steps) < 3:
        steps.append(type(step).__name__)
        step = step.next_functions[0][0] if step.next_functions else None
    return " ".join(steps)


@unpadded_formats
def test_a_gradient_of_what_lies_together_is_not_moved(dtype: torch.dtype) -> None:
    starts = np.array([0, 4, 10])
    x = torch.randn(10, 3 * 64).to(dtype).requires_grad_()
    parts = heads_apart(x, 3, 2)
    gradients = torch.autograd.grad(FastestCore()(*parts, Sight(starts, starts, True)).sum(), parts)
    together = whole(gradients)
    assert together is not None
    assert together.data_ptr() == gradients[0].data_ptr()
    assert whole([each.contiguous() for each in gradients]) is None


@pytest.mark.parametrize("batch", [(), (2,)])
def test_heads_are_taken_apart_with_and_without_a_batch(batch: tuple[int, ...]) -> None:
    x = torch.arange(math.prod(batch) * 5 * 3 * 8.0).reshape(*batch, 5, 24).requires_grad_()
    parts = heads_apart(x, 3, 2)
    for place, part in enumerate(parts):
        for head in range(2):
            begin = place * 8 + head * 4
            assert torch.equal(part[..., head, :, :], x[..., begin : begin + 4])
    assert torch.equal(torch.autograd.grad(sum(part.square().sum() for part in parts), x)[0], 2 * x)
    together = whole(parts)
    assert together is not None
    assert torch.equal(together, x)


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
    context, weights = attention(torch.ones(1, 1, 1, 1), key, torch.eye(4)[None, None], mask)
    torch.testing.assert_close(weights.flatten(), torch.tensor([0.7, 0.2, 0.1, 0.0]))
    torch.testing.assert_close(context.flatten(), weights.flatten())


@pytest.mark.parametrize("core", CORES)
def test_dropout_of_weights_keeps_the_mean_and_is_off_in_evaluation(core: type[nn.Module]) -> None:
    module = core(0.5)
    query, key, value = torch.randn(1, 1, 2000, 4), torch.randn(1, 1, 5, 4), torch.randn(1, 1, 5, 3)
    expected, _ = attention(query, key, value)
    noisy = module(query, key, value)
    assert not torch.allclose(noisy, expected, atol=1e-3)
    torch.testing.assert_close(noisy.mean((0, 1, 2)), expected.mean((0, 1, 2)), atol=0.05, rtol=0)
    torch.testing.assert_close(module.eval()(query, key, value), expected, atol=1e-5, rtol=1e-5)


def test_fastest_core_turns_to_the_fused_one_for_long_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention_module, "EXPLICIT_UP_TO", {torch.float32: 4})
    module, used = FastestCore(), list[str]()
    module.explicit.register_forward_hook(lambda *_: used.append("explicit"))
    module.fused.register_forward_hook(lambda *_: used.append("fused"))
    for keys in (4, 5):
        module(torch.randn(1, 1, 2, 4), torch.randn(1, 1, keys, 4), torch.randn(1, 1, keys, 4))
    assert used == ["explicit", "fused"]


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
    out = heads(x, None if mask is None else mask[None, None])
    assert out.shape == x.shape
    torch.testing.assert_close(out, by_hand(heads, x, x, mask), atol=1e-4, rtol=1e-4)


def test_cross_attention_takes_queries_from_one_sequence_and_keys_and_values_from_the_other(
    heads: MultiHeadAttention,
) -> None:
    x, memory = torch.randn(2, 4, 12), torch.randn(2, 7, 12)
    mask = torch.arange(7) < torch.tensor([[7], [3]])
    out = heads.attend(heads.project_query(x), *heads.project_key_value(memory), mask[:, None, None])
    torch.testing.assert_close(out, by_hand(heads, x, memory, mask[:, None]), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("itself", [True, False], ids=["self", "cross"])
def test_heads_of_bfloat16_and_their_gradients_are_near_float64s(heads: MultiHeadAttention, itself: bool) -> None:
    x, memory = torch.randn(2, 4, 12).bfloat16(), torch.randn(2, 7, 12).bfloat16()
    mask, gradient = torch.rand(2, 1, 4, 4 if itself else 7) > 0.3, torch.randn(2, 4, 12).bfloat16()
    with torch.no_grad():
        heads.query_key_value.weight.div_(4)  # else a softmax makes much of what was rounded
    results: list[list[Tensor]] = []
    for dtype in (torch.bfloat16, torch.float64):
        module = heads.to(torch.bfloat16).to(dtype)
        given = [each.to(dtype).requires_grad_() for each in (x, memory)[: 1 if itself else 2]]
        if itself:
            out = module(*given, mask)
        else:
            out = module.attend(module.project_query(given[0]), *module.project_key_value(given[1]), mask)
        wanted = [*given, *module.parameters()]
        results.append([out.detach(), *torch.autograd.grad(out, wanted, gradient.to(dtype))])
    for actual, value in zip(*results, strict=True):
        assert float((actual - value).norm()) < 0.03 * float(value.norm())


def test_the_three_projections_agree(heads: MultiHeadAttention) -> None:
    x = torch.randn(2, 4, 12)
    query, key, value = heads.project(x)
    assert query.shape == key.shape == value.shape == (2, 3, 4, 4)
    torch.testing.assert_close(heads.project_query(x), query)
    torch.testing.assert_close(heads.project_key_value(x), (key, value))
