"""Linear maps: x Wᵀ + b."""

from torch import Tensor, nn

from polyhead.hardware import multiplies_bfloat16
from polyhead.model import one_core

LONG = 1 << 28
"""Multiplications from which oneDNN's products gain more by a kernel, on its way back, than calls from Python cost."""


class Linear(nn.Linear):
    """[..., in] → [..., out], with a bias."""

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 (the name that nn.Linear gives it)
        return linear(input, self.weight, self.bias)


class StackedLinear(Linear):
    """`maps` linear maps of one input, [..., in] → [..., maps·out]: stored as one matrix, they take one product."""

    def __init__(self, in_features: int, out_features: int, maps: int) -> None:
        super().__init__(in_features, maps * out_features)
        self.maps = maps


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """x [..., in], weight [out, in], bias [out] → [..., out]."""
    if is_learnt_by_kernels(x, weight):
        return one_core.linear(x, weight, bias)
    return nn.functional.linear(x, weight, bias)


def is_learnt_by_kernels(x: Tensor, weight: Tensor) -> bool:
    """Whether gradients of x Wᵀ are recorded, and kernels compute them."""
    if not x.requires_grad:
        return False
    if one_core.own_products(x, weight) is not None:
        return True
    return one_core.are_learnt_by_kernels(x) and x.numel() * weight.size(0) >= LONG and multiplies_bfloat16()
