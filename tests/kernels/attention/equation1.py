"""A ragged batch for attention's kernels, and equation 1 of it with its gradients by PyTorch in float64."""

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from polyhead.kernels.attention.ragged import Heads, HeadShape, Projected, Ragged
from polyhead.model.attention import ScaledDotProductAttention

HEADS, SIZE = 2, 32
SCALE = SIZE**-0.5
BESIDE = 8
"""Numbers beside those of a head that are found."""
QUERIES, KEYS = np.array([0, 1, 18, 51]), np.array([0, 20, 23, 40])
"""Where sentences begin: of one query, of more than a vector or a tile, and of a multiple of neither."""
RAGGED = {"self": Ragged(QUERIES, QUERIES, True), "cross": Ragged(QUERIES, KEYS, False)}
attention = ScaledDotProductAttention()


def heads_of(x: Tensor) -> Heads:
    """[rows, heads, numbers]."""
    return Heads(x.data_ptr(), *(x.element_size() * x.stride(axis) for axis in (1, 0)))


class Case:
    """Random rows of heads, and of the context's gradient; all that is found lies in rows that are wider."""

    def __init__(self, kernels: Any, kind: str, dtype: torch.dtype, size: int = SIZE) -> None:
        self.kernels, self.ragged, self.shape = kernels, RAGGED[kind], HeadShape(HEADS, size)
        ends = [int(each[-1]) for each in (self.ragged.queries, self.ragged.keys, self.ragged.keys)]
        self.rows = [torch.randn(end, HEADS, size).to(dtype) for end in ends]
        self.gradient = torch.randn(ends[0], HEADS, size).to(dtype)
        kept = kernels.weights_bytes(self.ragged, self.shape)
        self.weights = torch.full((kept,), 255, dtype=torch.uint8)

    def context(self) -> list[Tensor]:
        """Nothing is a number, before, of what is worked in, and of what is found."""
        (found,) = whole = [_wider(self.gradient)]
        work = np.full(self.kernels.forward_workspace_bytes(self.ragged, self.shape), 255, np.uint8)
        given, to = Projected(*map(heads_of, self.rows)), heads_of(found[..., : self.shape.size])
        self.kernels.forward(given, self.ragged, self.shape, SCALE, self.weights.data_ptr(), to, work)
        return _narrow(whole)

    def gradients(self) -> list[Tensor]:
        """Of query, key and value; `context` has been called."""
        whole = [*map(_wider, self.rows)]
        work = np.full(self.kernels.backward_workspace_bytes(self.ragged, self.shape), 255, np.uint8)
        given = Projected(*map(heads_of, self.rows))
        to = Projected(*(heads_of(each[..., : self.shape.size]) for each in whole))
        gradient, kept = heads_of(self.gradient), self.weights.data_ptr()
        self.kernels.backward(gradient, given, self.ragged, self.shape, SCALE, kept, to, work)
        return _narrow(whole)

    def exact(self) -> tuple[list[Tensor], list[Tensor]]:
        """The context and the gradients by PyTorch, sentence by sentence."""
        wide, contexts = [each.double().requires_grad_() for each in self.rows], list[Tensor]()
        for (a, b), (c, d) in zip(pairwise(self.ragged.queries), pairwise(self.ragged.keys), strict=True):
            query, key, value = (x[i:j].transpose(0, 1) for x, i, j in zip(wide, (a, c, c), (b, d, d), strict=True))
            mask = torch.ones(b - a, b - a, dtype=torch.bool).tril() if self.ragged.causal else None
            contexts.append(attention(query, key, value, mask).transpose(0, 1))
        context = torch.cat(contexts)
        return [context.detach()], list(torch.autograd.grad(context, wide, self.gradient.double()))


def assert_near(found: list[Tensor], exact: list[Tensor], near: float) -> None:
    """Each as a whole by a part of its length."""
    for actual, value in zip(found, exact, strict=True):
        assert float((actual.double() - value).norm()) <= near * float(value.norm())


def _wider(x: Tensor) -> Tensor:
    return torch.full((len(x), HEADS, x.size(2) + BESIDE), torch.nan, dtype=x.dtype)


def _narrow(whole: list[Tensor]) -> list[Tensor]:
    """What was found; nothing beside it has been written."""
    assert all(bool(each[..., -BESIDE:].isnan().all()) for each in whole)
    return [each[..., :-BESIDE] for each in whole]
