"""Dropout whose mask follows from seeds and places: it is drawn again in the backward pass, not kept."""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from polyhead.kernels import dropout as kernels
from polyhead.model.dropout import Dropout, random_bits
from polyhead.training.fused.views import empty_like, flat
from polyhead.training.precision import Arithmetic

_ALL = 2**16


class DropoutMask(NamedTuple):
    """Which elements stay: this follows from the seeds and an element's place."""

    seed: np.uint32
    other_seed: np.uint32
    dropped: np.uint32
    """How many of 2¹⁶ elements are dropped on average."""
    scale: np.float32
    """What the elements that stay are multiplied by."""

    @classmethod
    def of(cls, rate: float, drawn: int) -> "DropoutMask":
        """rate: the share that is dropped, below 1; drawn: 63 random bits, which become the seeds."""
        dropped = kernels.drop_threshold(rate, _ALL)
        scale = np.float32(_ALL / (_ALL - dropped))
        return cls(np.uint32(drawn >> 32), np.uint32(drawn % 2**32), np.uint32(dropped), scale)


class FusedDropout(nn.Module):
    """`Dropout` that decides every element from a seed and its place."""

    def __init__(self, plain: "Dropout | FusedDropout", arithmetic: Arithmetic) -> None:
        super().__init__()
        self.rate = plain.rate

    def forward(self, x: Tensor) -> Tensor:
        mask = self.mask()
        return x if mask is None else _Dropout.apply(x, mask)

    def mask(self) -> DropoutMask | None:
        """The next mask; None where nothing is dropped."""
        return DropoutMask.of(self.rate, random_bits()) if self.training and self.rate > 0 else None


def add_dropout(residual: Tensor, x: Tensor, dropout: FusedDropout) -> Tensor:
    """residual + dropout(x) in one pass over the memory: any shape."""
    mask = dropout.mask()
    return residual + x if mask is None else _AddDropout.apply(residual, x, mask)


class _Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: DropoutMask) -> Tensor:
        ctx.mask = mask
        return _dropped(x, mask)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return _dropped(gradients[0], ctx.mask), None


class _AddDropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, residual: Tensor, x: Tensor, mask: DropoutMask) -> Tensor:
        ctx.mask, out = mask, empty_like(x)
        kernels.add_with_dropout(flat(residual), flat(x), *mask, flat(out))
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        return gradients[0], _dropped(gradients[0], ctx.mask), None


def _dropped(x: Tensor, mask: DropoutMask) -> Tensor:
    out = empty_like(x)
    kernels.apply_dropout(flat(x), *mask, flat(out))
    return out
