"""Heads taken apart are views, and so are their gradients."""

import math

import pytest
import torch

from polyhead.training.fused.heads import joined_memory, split_heads


@pytest.mark.parametrize("batch", [(), (2,)])
def test_heads_are_taken_apart_with_and_without_a_batch(batch: tuple[int, ...]) -> None:
    x = torch.arange(math.prod(batch) * 5 * 3 * 8.0).reshape(*batch, 5, 24).requires_grad_()
    parts = split_heads(x, 3, 2)
    for place, part in enumerate(parts):
        for head in range(2):
            begin = place * 8 + head * 4
            assert torch.equal(part[..., head, :, :], x[..., begin : begin + 4])
    assert torch.equal(torch.autograd.grad(sum(part.square().sum() for part in parts), x)[0], 2 * x)
    together = joined_memory(parts)
    assert together is not None
    assert torch.equal(together, x)
