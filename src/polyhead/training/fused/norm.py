"""LayerNorm (Ba et al. 2016) of bfloat16, computed in float32.

Shapes: N rows, D numbers in each.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from polyhead.kernels import norm as kernels
from polyhead.kernels.arrays.tensors import as_bfloat16s
from polyhead.model.sublayer import LayerNorm
from polyhead.training.fused.views import empty_like, rows
from polyhead.training.precision import Arithmetic


class FusedLayerNorm(nn.Module):
    """`LayerNorm` by kernels. PyTorch adds up the gradients of gain and bias in bfloat16, which loses a tenth."""

    def __init__(self, plain: LayerNorm) -> None:
        super().__init__()
        self.weight, self.bias, self.eps = plain.weight, plain.bias, plain.eps

    @classmethod
    def where_faster(cls, plain: LayerNorm, arithmetic: Arithmetic) -> nn.Module:
        """The fused LayerNorm in bfloat16; in float32 the plain one, as PyTorch's is as fast."""
        return cls(plain) if arithmetic.dtype == torch.bfloat16 else plain

    def forward(self, x: Tensor) -> Tensor:
        """x [..., D] → [..., D]."""
        return _LayerNorm.apply(x, self.weight, self.bias, self.eps)


class _LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, gain: Tensor, bias: Tensor, epsilon: float) -> Tensor:
        out, (means, inverses) = empty_like(x), np.empty((2, x.numel() // gain.size(0)), np.float32)
        kernels.layer_norm(rows(x), as_bfloat16s(gain), as_bfloat16s(bias), epsilon, rows(out), means, inverses)
        ctx.save_for_backward(x, gain)
        ctx.moments = means, inverses
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        x, gain = ctx.saved_tensors
        d_x, d_gain, d_bias = empty_like(x), empty_like(gain), empty_like(gain)
        means, inverses = ctx.moments
        sums = as_bfloat16s(d_gain), as_bfloat16s(d_bias)
        kernels.layer_norm_backward(rows(gradients[0]), rows(x), means, inverses, as_bfloat16s(gain), rows(d_x), *sums)
        return d_x, d_gain, d_bias, None
