"""Linear maps and the feed-forward network.

Products are polyhead's own in float32, and in bfloat16 where a core has a unit for matrices or factors are rounded to
whole numbers. Elsewhere they are oneDNN's, which are fast but for one: a transposed left operand, as in the gradient of
the weight, takes more than twice the time. A kernel transposes it first, and sums the bias' gradient on the way.
Shapes: N rows, K inputs, M outputs, F numbers within the network.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from polyhead.hardware import may_use_tiles, multiplies_bfloat16
from polyhead.kernels import dropout as masks
from polyhead.kernels.arrays.scratch import Scratch
from polyhead.kernels.arrays.tensors import as_array, as_bfloat16s
from polyhead.kernels.linear import gemm, gemm_float32, gemm_int8
from polyhead.kernels.packing import transpose as kernels
from polyhead.model.linear import StackedLinear
from polyhead.training.fused.dropout import DropoutMask
from polyhead.training.fused.views import flat, rows
from polyhead.training.precision import Arithmetic

FEWEST_MULTIPLICATIONS = 1 << 28
"""Multiplications of a product from which a kernel in its backward pass saves more than calls from Python cost."""

_scratch = Scratch()


class FusedLinear(nn.Module):
    """`nn.Linear` by kernels, over the weight and bias of the plain one."""

    def __init__(self, plain: nn.Linear, arithmetic: Arithmetic) -> None:
        super().__init__()
        self.weight, self.bias, self.arithmetic = plain.weight, plain.bias, arithmetic

    def forward(self, x: Tensor) -> Tensor:
        """x [..., K] → [..., M]."""
        return linear(x, self.weight, self.bias, self.arithmetic)


class FusedStackedLinear(FusedLinear):
    """`StackedLinear`, whose maps may be taken apart as before."""

    def __init__(self, plain: StackedLinear, arithmetic: Arithmetic) -> None:
        super().__init__(plain, arithmetic)
        self.part = plain.part


def linear(x: Tensor, weight: Tensor, bias: Tensor, arithmetic: Arithmetic) -> Tensor:
    """x Wᵀ + b: x [..., K], weight [M, K], bias [M] → [..., M]."""
    products = choose_products(arithmetic, x, weight)
    if products is None and not is_worth_a_kernel(x, weight):
        return nn.functional.linear(x, weight, bias)
    return _Linear.apply(x, weight, bias, products)


def feed_forward(
    x: Tensor,
    inner: Tensor,
    inner_bias: Tensor,
    outer: Tensor,
    outer_bias: Tensor,
    mask: DropoutMask | None,
    products: gemm.Arithmetic | None,
) -> Tensor:
    """dropout(max(0, x Wᵀ + b)) Vᵀ + c: x [..., K], inner [F, K] and its bias [F], outer [M, F] and its bias [M].

    In the backward pass one mask serves both: what is above 0 after the dropout has passed the ReLU, too.
    """
    return _FeedForward.apply(x, inner, inner_bias, outer, outer_bias, mask, products)


def choose_products(arithmetic: Arithmetic, x: Tensor, *weights: Tensor) -> gemm.Arithmetic | None:
    """Which of polyhead's products multiplies x's rows and these weights; None: PyTorch's multiply them."""
    known = (
        (gemm.Int8(), arithmetic.int8 and gemm_int8.is_supported()),
        (gemm.Float32(), x.dtype == torch.float32 and gemm_float32.is_supported()),
        (gemm.BFloat16(), x.dtype == torch.bfloat16 and may_use_tiles()),
    )
    count = x.numel() // x.size(-1)
    for products, is_supported in known:
        if is_supported and all(gemm.takes(products, count, *weight.shape[::-1]) for weight in weights):
            return products
    return None


def is_worth_a_kernel(x: Tensor, weight: Tensor) -> bool:
    """Whether oneDNN's products of bfloat16 are long enough for a kernel that transposes in the backward pass."""
    return x.dtype == torch.bfloat16 and x.numel() * weight.size(0) >= FEWEST_MULTIPLICATIONS and multiplies_bfloat16()


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, products: gemm.Arithmetic | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.products = products
        return _product(products, x, weight, bias)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        return *_gradients(ctx.products, gradients[0], *ctx.saved_tensors), None


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
        products: gemm.Arithmetic | None,
    ) -> Tensor:
        hidden = _product(products, x, inner, inner_bias, activated=True)
        if mask is not None:
            masks.apply_dropout_in_place(flat(hidden), *mask)
        ctx.scale = 1.0 if mask is None else float(mask.scale)
        ctx.save_for_backward(x, inner, outer, hidden)
        ctx.products = products
        return _product(products, hidden, outer, outer_bias)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, None, None]:
        x, inner, outer, hidden = ctx.saved_tensors
        (gradient,), products = gradients, ctx.products
        if products is not None:
            of_outer, d_hidden = _weight_gradient(products, gradient, hidden, outer), torch.empty_like(hidden)
            workspace = _workspace(products, gradient, outer)
            gemm.gated_gradient(
                products, rows(gradient), as_array(outer), rows(hidden), ctx.scale, rows(d_hidden), workspace
            )
            of_inner = _weight_gradient(products, d_hidden, x, inner)
            return _input_gradient(products, d_hidden, inner), *of_inner, *of_outer, None, None
        d_hidden, d_outer, d_outer_bias = _gradients(None, gradient, hidden, outer)
        transposed, d_inner_bias = _empty_transposed(d_hidden), inner.new_empty(inner.size(0))
        kernels.transpose_gated(rows(d_hidden), rows(hidden), ctx.scale, rows(transposed), as_bfloat16s(d_inner_bias))
        return d_hidden @ inner, _transposed_product(transposed, x), d_inner_bias, d_outer, d_outer_bias, None, None


def _product(
    products: gemm.Arithmetic | None, x: Tensor, weight: Tensor, bias: Tensor, activated: bool = False
) -> Tensor:
    if products is None:
        return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "relu" if activated else "none", [], "")
    out, workspace = x.new_empty(*x.shape[:-1], weight.size(0)), _workspace(products, x, weight)
    gemm.linear(products, rows(x), as_array(weight), as_array(bias), activated, rows(out), workspace)
    return out


def _gradients(
    products: gemm.Arithmetic | None, gradient: Tensor, x: Tensor, weight: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of x, weight and bias; gradient [..., M] is that of the product."""
    if products is not None:
        return _input_gradient(products, gradient, weight), *_weight_gradient(products, gradient, x, weight)
    transposed, d_bias = _empty_transposed(gradient), weight.new_empty(weight.size(0))
    kernels.transpose(rows(gradient), rows(transposed), as_bfloat16s(d_bias))
    return gradient @ weight, _transposed_product(transposed, x), d_bias


def _input_gradient(products: gemm.Arithmetic, gradient: Tensor, weight: Tensor) -> Tensor:
    out = gradient.new_empty(*gradient.shape[:-1], weight.size(1))
    gemm.input_gradient(products, rows(gradient), as_array(weight), rows(out), _workspace(products, gradient, weight))
    return out


def _weight_gradient(products: gemm.Arithmetic, gradient: Tensor, x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    d_weight, d_bias = weight.new_empty(weight.shape), weight.new_empty(weight.size(0))
    workspace = _workspace(products, x, weight)
    gemm.weight_gradient(products, rows(gradient), rows(x), as_array(d_weight), as_array(d_bias), workspace)
    return d_weight, d_bias


def _workspace(products: gemm.Arithmetic, x: Tensor, weight: Tensor) -> NDArray[np.uint8]:
    """Working memory for products of x's rows with a weight, or for the weight's gradient."""
    size = gemm.workspace_bytes(products, x.numel() // x.size(-1), weight.size(1), weight.size(0))
    return _scratch.get("workspace", (size,), torch.uint8).numpy()


def _empty_transposed(x: Tensor) -> Tensor:
    """Memory for the transpose [M, N] of a tensor [..., M]."""
    outputs = x.size(-1)
    return _scratch.get("transposed", (outputs, x.numel() // outputs), x.dtype)


def _transposed_product(transposed: Tensor, x: Tensor) -> Tensor:
    return transposed @ x.reshape(-1, x.size(-1))
