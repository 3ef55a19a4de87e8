"""Linear maps and the feed-forward network.

By products of our own in float32, and in bfloat16 where a core has a unit for matrices or factors are rounded to whole
numbers. Else by oneDNN's, which are
fast but for one: a transposed left factor, as in the gradient of the weight, takes more than twice the time. A kernel
turns it first, and sums the bias' gradient on the way.
Shapes: N rows, K inputs, M outputs, F numbers within the network.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.hardware import may_use_tiles
from polyhead.kernels import dropout as masks
from polyhead.kernels.arrays.scratch import Scratch
from polyhead.kernels.arrays.tensors import are_on_one_core, halves, numbers
from polyhead.kernels.factors import transpose as kernels
from polyhead.kernels.factors.whole_numbers import PAIRED
from polyhead.kernels.linear import gemm, gemm_in_bytes, gemm_in_integers, gemm_in_vectors
from polyhead.kernels.precision import bits_kept
from polyhead.kernels.sums.finish import BLOCK
from polyhead.kernels.sums.registers import PANEL
from polyhead.kernels.sums.vector_sums import WIDTH
from polyhead.model.one_core.dropout import DropoutMask
from polyhead.model.one_core.views import flat, rows

_scratch = Scratch()


class Products(Protocol):
    """Those of a linear map, of our own."""

    linear: Callable[..., None]
    input_gradient: Callable[..., None]
    gated_gradient: Callable[..., None]
    weight_gradient: Callable[..., None]
    room_for: Callable[[int, int, int], int]


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


def own_products(x: Tensor, *weights: Tensor) -> Products | None:
    """What multiplies x's rows and these weights, if that is our own."""
    if not are_on_one_core(x):
        return None
    sizes = [size for weight in weights for size in weight.shape]
    count, bits = x.numel() // x.size(-1), bits_kept()
    if bits == 8 and gemm_in_bytes.may_multiply() and _fit(sizes, PANEL) and count <= gemm_in_bytes.LONGEST:
        return gemm_in_bytes
    if x.dtype == torch.float32:
        if not gemm_in_vectors.may_multiply() or not _fit(sizes, WIDTH):
            return None
        return gemm_in_integers if bits is not None and _fit(sizes, PAIRED) else gemm_in_vectors
    return gemm if count >= BLOCK and _fit(sizes, BLOCK) and may_use_tiles() else None


def _fit(sizes: list[int], multiple: int) -> bool:
    return all(size % multiple == 0 for size in sizes)


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return _product(x, weight, bias)

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
        hidden = _product(x, inner, inner_bias, activated=True)
        if mask is not None:
            masks.drop_in_place(flat(hidden), *mask)
        ctx.scale = 1.0 if mask is None else float(mask.scale)
        ctx.save_for_backward(x, inner, outer, hidden)
        return _product(hidden, outer, outer_bias)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, None]:
        x, inner, outer, hidden = ctx.saved_tensors
        (gradient,) = gradients
        if products := own_products(x, outer, inner):
            of_outer, d_hidden = _weight_gradient(products, gradient, hidden, outer), torch.empty_like(hidden)
            room = _room(products, gradient, outer)
            products.gated_gradient(rows(gradient), numbers(outer), rows(hidden), ctx.scale, rows(d_hidden), room)
            of_inner = _weight_gradient(products, d_hidden, x, inner)
            return _input_gradient(products, d_hidden, inner), *of_inner, *of_outer, None
        d_hidden, d_outer, d_outer_bias = _gradients(gradient, hidden, outer)
        turned, d_inner_bias = _room_to_turn(d_hidden), inner.new_empty(inner.size(0))
        kernels.turn_gated(rows(d_hidden), rows(hidden), ctx.scale, rows(turned), halves(d_inner_bias))
        return d_hidden @ inner, _times(turned, x), d_inner_bias, d_outer, d_outer_bias, None


def _product(x: Tensor, weight: Tensor, bias: Tensor, activated: bool = False) -> Tensor:
    products = own_products(x, weight)
    if products is None:
        return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "relu" if activated else "none", [], "")
    out, room = x.new_empty(*x.shape[:-1], weight.size(0)), _room(products, x, weight)
    products.linear(rows(x), numbers(weight), numbers(bias), activated, rows(out), room)
    return out


def _gradients(gradient: Tensor, x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Those of x, weight and bias."""
    if products := own_products(x, weight):
        return _input_gradient(products, gradient, weight), *_weight_gradient(products, gradient, x, weight)
    turned, d_bias = _room_to_turn(gradient), weight.new_empty(weight.size(0))
    kernels.turn(rows(gradient), rows(turned), halves(d_bias))
    return gradient @ weight, _times(turned, x), d_bias


def _input_gradient(products: Products, gradient: Tensor, weight: Tensor) -> Tensor:
    out = gradient.new_empty(*gradient.shape[:-1], weight.size(1))
    products.input_gradient(rows(gradient), numbers(weight), rows(out), _room(products, gradient, weight))
    return out


def _weight_gradient(products: Products, gradient: Tensor, x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    d_weight, d_bias = weight.new_empty(weight.shape), weight.new_empty(weight.size(0))
    room = _room(products, x, weight)
    products.weight_gradient(rows(gradient), rows(x), numbers(d_weight), numbers(d_bias), room)
    return d_weight, d_bias


def _room(products: Products, x: Tensor, weight: Tensor) -> NDArray[np.uint8]:
    """For products of x's rows with a weight, or of its gradient."""
    size = products.room_for(x.numel() // x.size(-1), weight.size(1), weight.size(0))
    return _scratch.take("room", (size,), torch.uint8).numpy()


def _room_to_turn(x: Tensor) -> Tensor:
    """[..., M] → room for [M, N]."""
    outputs = x.size(-1)
    return _scratch.take("turned", (outputs, x.numel() // outputs), x.dtype)


def _times(turned: Tensor, x: Tensor) -> Tensor:
    return turned @ x.reshape(-1, x.size(-1))
