"""A linear map, its bias and a ReLU as one product of oneDNN.

Its kernels for plain matrices are fast but for one: a transposed left factor, as in the gradient of the weight, takes
more than twice the time. A kernel of our own turns it first, and sums the bias' gradient on the way.
Shapes: N rows, K inputs, M outputs.
"""

from typing import Any

import torch
from torch import Tensor

from polyhead.kernels import transpose as kernels
from polyhead.kernels.scratch import Scratch
from polyhead.kernels.tensors import halves
from polyhead.model.one_core.views import rows

_scratch = Scratch()


def linear(x: Tensor, weight: Tensor, bias: Tensor, relu: bool = False) -> Tensor:
    """x Wᵀ + b, or max(0, x Wᵀ + b): x [..., K], weight [M, K], bias [M] → [..., M]."""
    return _Linear.apply(x, weight, bias, relu)


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, relu: bool) -> Tensor:
        out: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "relu" if relu else "none", [], "")
        ctx.save_for_backward(x, weight, out if relu else None)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        x, weight, activated = ctx.saved_tensors
        (gradient,), outputs = gradients, weight.size(0)
        turned = _scratch.take("turned", (outputs, gradient.numel() // outputs), gradient.dtype)
        d_bias = weight.new_empty(outputs)
        results = rows(turned), halves(d_bias)
        if activated is None:
            kernels.turn(rows(gradient), *results)
        else:
            through = _scratch.take("through", tuple(gradient.shape), gradient.dtype)
            kernels.turn_gated(rows(gradient), rows(activated), rows(through), *results)
            gradient = through
        return gradient @ weight, turned @ x.reshape(-1, x.size(-1)), d_bias, None
