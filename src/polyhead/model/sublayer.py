"""Residual connection and layer normalisation around a sub-layer (section 3.1)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from polyhead.kernels.arrays.tensors import are_for_kernels
from polyhead.model import one_core
from polyhead.model.dropout import Dropout


class LayerNorm(nn.LayerNorm):
    """LayerNorm (Ba et al. 2016) computed in float32, whatever the model's dtype: [..., D] → [..., D]."""

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 (the name that nn.LayerNorm gives it)
        if self.training and are_for_kernels(input):
            return one_core.layer_norm(input, self.weight, self.bias, self.eps)
        gain, bias = self.weight.float(), self.bias.float()
        if input.dtype == torch.bfloat16 and input.device.type == "cpu":
            return _RoundedNorm.apply(input, gain, bias, self.eps)
        return nn.functional.layer_norm(input.float(), self.normalized_shape, gain, bias, self.eps).to(input.dtype)


class _RoundedNorm(torch.autograd.Function):
    """bfloat16 in and out, float32 between, without float32 copies kept for the backward pass.

    PyTorch's bfloat16 kernel adds up the gradients of gain and bias in bfloat16: over the thousands of positions of a
    batch such a sum loses a tenth of its value. So these two come from the float32 kernel.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, gain: Tensor, bias: Tensor, epsilon: float) -> Tensor:
        out, mean, deviation = torch.native_layer_norm(x, gain.shape, gain, bias, epsilon)
        ctx.save_for_backward(x, mean, deviation, gain, bias)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        x, *saved = ctx.saved_tensors
        (gradient,) = gradients
        d_x = _gradients(gradient, x, *saved, wanted=(True, False, False))[0]
        _, d_gain, d_bias = _gradients(gradient.float(), x.float(), *saved, wanted=(False, True, True))
        return d_x, d_gain, d_bias, None


def _gradients(
    gradient: Tensor, x: Tensor, mean: Tensor, deviation: Tensor, gain: Tensor, bias: Tensor, wanted: tuple[bool, ...]
) -> tuple[Tensor, Tensor, Tensor]:
    """PyTorch's own: those `wanted` of x's, the gain's and the bias'; the others are None."""
    kernel = torch.ops.aten.native_layer_norm_backward
    return kernel(gradient, x, gain.shape, mean, deviation, gain, bias, wanted)


class PostNorm(nn.Module):
    """LayerNorm(x + Dropout(Sublayer(x))), as in the paper."""

    def __init__(self, d_model: int, dropout: float) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
        return self.norm(self.dropout.add(x, function(x)))


class PreNorm(nn.Module):
    """x + Dropout(Sublayer(LayerNorm(x))) (Xiong et al. 2020): a clear path for the gradient in deep stacks."""

    def __init__(self, d_model: int, dropout: float) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
        return self.dropout.add(x, function(self.norm(x)))


SUBLAYERS: dict[str, Callable[[int, float], nn.Module]] = {"post": PostNorm, "pre": PreNorm}


def final_norm(norm: str, d_model: int) -> nn.Module:
    """What ends a stack: pre-norm leaves the sum unnormalised, so it needs one more LayerNorm; post-norm doesn't."""
    return LayerNorm(d_model) if norm == "pre" else nn.Identity()
