"""Attention without padding by kernels against equation 1 in float64."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from polyhead.kernels.attention.ragged import Ragged
from polyhead.model.attention import MultiHeadAttention, ScaledDotProductAttention
from polyhead.model.recording import view_of
from polyhead.training.fused.attention import FusedMultiHeadAttention, _scratch, ragged_attention
from polyhead.training.fused.fuse import ON_ONE_CORE, exchanged
from polyhead.training.fused.heads import joined_memory, split_heads
from polyhead.training.precision import Arithmetic
from tests.marks import bfloat16, unpadded_formats

attention = ScaledDotProductAttention()
lengths = st.lists(st.integers(1, 20) | st.integers(15, 70), min_size=1, max_size=4)


@unpadded_formats
@given(lengths, st.booleans(), st.integers(1, 3), st.integers(1, 3), st.integers(0, 20), st.data())
def test_attention_without_padding_is_near_float64s(
    dtype: torch.dtype, queries: list[int], itself: bool, heads: int, pieces: int, spare: int, data: st.DataObject
) -> None:
    """Sentence by sentence; rows that are none's, all of them no number, are not read and get zeros.

    Nor is there a number in the room that it works in, before.
    """
    _scratch.get("workspace", (1 << 20,), torch.uint8).fill_(0xFF)
    keys = queries if itself else [data.draw(st.integers(1, 70)) for _ in queries]
    causal = itself and data.draw(st.booleans())
    torch.manual_seed(data.draw(st.integers(0, 9)))
    starts, of_keys = (np.array([0, *np.cumsum(each)]) for each in (queries, keys))
    width = 32 * pieces * heads
    sizes = [(starts, 3)] if itself else [(starts, 1), (of_keys, 2)]
    given_ = [_then_nothing(int(each[-1]), spare, width * parts, dtype).requires_grad_() for each, parts in sizes]
    parts = [part for x, (_, count) in zip(given_, sizes, strict=True) for part in split_heads(x, count, heads)]
    gradient = _then_nothing(int(starts[-1]), spare, width, dtype)
    context = ragged_attention(*parts, Ragged(starts, of_keys, causal)).transpose(0, 1).flatten(1)
    assert "RaggedAttention" in _history(context)
    found = [context.detach(), *torch.autograd.grad(context, given_, gradient)]
    assert all((x[len(x) - spare :] == 0).all() for x in found)

    wide = [x.detach().double().requires_grad_() for x in given_]
    parts = [part for x, (_, count) in zip(wide, sizes, strict=True) for part in split_heads(x, count, heads)]
    contexts: list[Tensor] = []
    for (a, b), (c, d) in zip(pairwise(starts), pairwise(of_keys), strict=True):
        mask = torch.ones(b - a, b - a, dtype=torch.bool).tril() if causal else None
        contexts.append(attention(parts[0][:, a:b], parts[1][:, c:d], parts[2][:, c:d], mask))
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
    parts = split_heads(x, 3, 2)
    gradients = torch.autograd.grad(ragged_attention(*parts, Ragged(starts, starts, causal=False)).sum(), parts)
    together = joined_memory(gradients)
    assert together is not None
    assert together.data_ptr() == gradients[0].data_ptr()
    assert joined_memory([each.contiguous() for each in gradients]) is None


@bfloat16
@pytest.mark.parametrize("itself", [True, False], ids=["self", "cross"])
def test_heads_of_bfloat16_and_their_gradients_are_near_float64s(itself: bool) -> None:
    """With padding, too."""
    plain = MultiHeadAttention(d_model=12, num_heads=3)
    with torch.no_grad():
        for parameter in plain.parameters():
            parameter.normal_()
        plain.query_key_value.weight.div_(4)  # else a softmax makes much of what was rounded
    x, memory = torch.randn(2, 4, 12).bfloat16(), torch.randn(2, 7, 12).bfloat16()
    mask, gradient = torch.rand(2, 1, 4, 4 if itself else 7) > 0.3, torch.randn(2, 4, 12).bfloat16()
    results: list[list[Tensor]] = []
    for dtype in (torch.bfloat16, torch.float64):
        module = plain.to(torch.bfloat16).to(dtype)
        weights = list(module.parameters())
        if dtype == torch.bfloat16:
            module = exchanged(view_of(module), Arithmetic(dtype), ON_ONE_CORE)
            assert isinstance(module, FusedMultiHeadAttention)
        given_ = [each.to(dtype).requires_grad_() for each in (x, memory)[: 1 if itself else 2]]
        out = module(given_[0], given_[-1], mask)
        results.append([out.detach(), *torch.autograd.grad(out, [*given_, *weights], gradient.to(dtype))])
    for actual, value in zip(*results, strict=True):
        assert float((actual - value).norm()) < 0.03 * float(value.norm())
