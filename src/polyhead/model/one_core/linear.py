"""Linear maps and the feed-forward network, by products of oneDNN.

Its kernels for plain matrices are fast but for one: a transposed left factor, as in the gradient of the weight, takes
more than twice the time. A kernel of our own turns it first, and sums the bias' gradient on the way.
Shapes: N rows, K inputs, M outputs, F numbers within the network.
"""

from typing import Any

import torch
from torch import Tensor

from polyhead.kernels import dropout as masks
from polyhead.kernels import transpose as kernels
from polyhead.kernels.scratch import Scratch
from polyhead.kernels.tensors import halves
from polyhead.model.one_core.dropout import DropoutMask
from polyhead.model.one_core.views import flat, rows

_scratch = Scratch()


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """x Wᵀ + b: x [..., K], weight [M, K], bias [M] → [..., M]."""
    return _Linear.apply(x, weight, bias)


def feed_forward(
    x: Tensor, inner: Tensor, inner_bias: Tensor, outer: Tensor, outer_bias: Tensor, mask: DropoutMask | None
) -> Tensor:
    """dropout(max(0, x Wᵀ + b)) Vᵀ + c: x [..., K], inner [F, K] and its bias [F], outer [M, F] and its bias [M].

    One mask serves both on the way back: what is above 0 behind the dropout passed the ReLU, too.
    """
    return _FeedForward.apply(x, inner, inner_bias, outer, outer_bias, mask)


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return _product(x, weight, bias, "none")

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return _gradients(gradients[0], *ctx.saved_tensors)


class _FeedForward(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        inner: Tensor,
        inner_bias: Tensor,
        outer: Tensor,
        outer_bias: Tensor,
        mask: DropoutMask | None,
    ) -> Tensor:
        hidden = _product(x, inner, inner_bias, "relu")
        if mask is not None:
            masks.drop_in_place(flat(hidden), *mask)
        ctx.scale = 1.0 if mask is None else float(mask.scale)
        ctx.save_for_backward(x, inner, outer, hidden)
        return _product(hidden, outer, outer_bias, "none")

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, None]:
        x, inner, outer, hidden = ctx.saved_tensors
        d_hidden, d_outer, d_outer_bias = _gradients(gradients[0], hidden, outer)
        turned, d_inner_bias = _room_to_turn(d_hidden), inner.new_empty(inner.size(0))
        kernels.turn_gated(rows(d_hidden), rows(hidden), ctx.scale, rows(turned), halves(d_inner_bias))
        return d_hidden @ inner, _times(turned, x), d_inner_bias, d_outer, d_outer_bias, None


def _product(x: Tensor, weight: Tensor, bias: Tensor, then: str) -> Tensor:
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, then, [], "")


def _gradients(gradient: Tensor, x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Those of x, weight and bias."""
    turned, d_bias = _room_to_turn(gradient), weight.new_empty(weight.size(0))
    kernels.turn(rows(gradient), rows(turned), halves(d_bias))
    return gradient @ weight, _times(turned, x), d_bias


def _room_to_turn(x: Tensor) -> Tensor:
    """[..., M] → room for [M, N]."""
    outputs = x.size(-1)
    return _scratch.take("turned", (outputs, x.numel() // outputs), x.dtype)


def _times(turned: Tensor, x: Tensor) -> Tensor:
    return turned @ x.reshape(-1, x.size(-1))
