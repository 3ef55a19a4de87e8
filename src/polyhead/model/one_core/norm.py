"""LayerNorm (Ba et al. 2016).

Shapes: N rows, D numbers in each.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from polyhead.kernels import norm as kernels
from polyhead.kernels.arrays.tensors import halves
from polyhead.model.one_core.views import like, rows


def layer_norm(x: Tensor, gain: Tensor, bias: Tensor, epsilon: float) -> Tensor:
    """LayerNorm, computed in float32: x [..., D], gain and bias [D] → [..., D]."""
    return _LayerNorm.apply(x, gain, bias, epsilon)


class _LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, gain: Tensor, bias: Tensor, epsilon: float) -> Tensor:
        out, (means, inverses) = like(x), np.empty((2, x.numel() // gain.size(0)), np.float32)
        kernels.normalise(rows(x), halves(gain), halves(bias), epsilon, rows(out), means, inverses)
        ctx.save_for_backward(x, gain)
        ctx.moments = means, inverses
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        x, gain = ctx.saved_tensors
        d_x, d_gain, d_bias = like(x), like(gain), like(gain)
        means, inverses = ctx.moments
        sums = halves(d_gain), halves(d_bias)
        kernels.differentiate(rows(gradients[0]), rows(x), means, inverses, halves(gain), rows(d_x), *sums)
        return d_x, d_gain, d_bias, None
