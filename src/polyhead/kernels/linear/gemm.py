"""GEMM for training: a linear map and its gradients, once for all arithmetics.

An arithmetic is a value, the first argument of every function here, and its kernels stand in a file of its own
(`gemm_float32`, `gemm_int8`, `gemm_amx`). Each file packs a right operand, whose columns are the rows (`pack_rows`) or
the columns (`pack_columns`) of a matrix; it multiplies a matrix by a packed operand, with an epilogue
(`product_of(epilogue)`); it makes a weight's gradient, whose left operand is transposed (`weight_gradient`); and it
says which sizes it takes (`takes`) and how much memory it needs (`workspace_bytes`). Which file a kernel uses is
known when it is compiled.
Shapes: N rows, K inputs and M outputs of a linear map.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.bounds import (
    require,
    require_input_gradient,
    require_product,
    require_same,
    require_weight_gradient,
)
from polyhead.kernels.kernel import kernel
from polyhead.kernels.linear import gemm_amx, gemm_float32, gemm_int8
from polyhead.kernels.linear.gemm_amx import BFloat16
from polyhead.kernels.linear.gemm_float32 import Float32
from polyhead.kernels.linear.gemm_int8 import Int8
from polyhead.kernels.microkernels.epilogue import Epilogue, add_bias, add_bias_and_relu, gate, identity
from polyhead.kernels.microkernels.simd import EpilogueInput, no_input
from polyhead.kernels.numbers.formats import Numbers
from polyhead.kernels.part import by_class

Arithmetic = Float32 | Int8 | BFloat16
FILES: dict[type, Any] = {Float32: gemm_float32, Int8: gemm_int8, BFloat16: gemm_amx}
Workspace = NDArray[np.uint8]


def workspace_bytes(arithmetic: Arithmetic, rows: int, inputs: int, outputs: int) -> int:
    """How many bytes the kernels below need to work in."""
    return FILES[type(arithmetic)].workspace_bytes(rows, inputs, outputs)


def takes(arithmetic: Arithmetic, rows: int, inputs: int, outputs: int) -> bool:
    """Whether the kernels below take matrices of these sizes; in their checked form they raise IndexError if not."""
    return FILES[type(arithmetic)].takes.__wrapped__(rows, inputs, outputs)


def _of_each(part: Callable[[Any], Callable[..., Any]]) -> Callable[..., Any]:
    """A function that calls a part of one of the files, which the arithmetic chooses."""
    return by_class({arithmetic: part(file) for arithmetic, file in FILES.items()})


def _product_of(epilogue: Epilogue) -> Callable[..., Any]:
    return _of_each(lambda file: file.product_of(epilogue))


_pack_rows, _pack_columns = _of_each(lambda file: file.pack_rows), _of_each(lambda file: file.pack_columns)
_multiply, _multiply_gated = _product_of(identity), _product_of(gate)
_multiply_with_bias, _multiply_with_bias_and_relu = _product_of(add_bias), _product_of(add_bias_and_relu)
_takes = _of_each(lambda file: file.takes)
_weight_gradient = _of_each(lambda file: file.weight_gradient)


@kernel
def linear(
    arithmetic: Arithmetic, x: Numbers, weight: Numbers, bias: Numbers, relu: bool, out: Numbers, workspace: Workspace
) -> None:
    """x [N, K] weight [M, K]ᵀ + bias [M], and its ReLU where `relu` says so → out [N, M]."""
    require_product(x, weight, out)
    require(bias.shape[0] == weight.shape[0])
    require(_takes(arithmetic, x.shape[0], x.shape[1], weight.shape[0]))
    right, rest = _pack_rows(arithmetic, weight, workspace)
    inputs = EpilogueInput(bias.ctypes.data, 0, np.float32(1))
    if relu:
        _multiply_with_bias_and_relu(arithmetic, x, right, inputs, out, rest)
    else:
        _multiply_with_bias(arithmetic, x, right, inputs, out, rest)


@kernel
def input_gradient(
    arithmetic: Arithmetic, gradient: Numbers, weight: Numbers, out: Numbers, workspace: Workspace
) -> None:
    """gradient [N, M] weight [M, K] → out [N, K]."""
    require_input_gradient(gradient, weight, out)
    require(_takes(arithmetic, out.shape[0], out.shape[1], weight.shape[0]))
    right, rest = _pack_columns(arithmetic, weight, workspace)
    _multiply(arithmetic, gradient, right, no_input(out.ctypes.data), out, rest)


@kernel
def gated_gradient(
    arithmetic: Arithmetic,
    gradient: Numbers,
    weight: Numbers,
    passed: Numbers,
    scale: float,
    out: Numbers,
    workspace: Workspace,
) -> None:
    """scale · gradient [N, M] weight [M, K] → out [N, K], 0 where passed [N, K], what a ReLU and dropout gave, is 0."""
    require_input_gradient(gradient, weight, out)
    require_same(passed, out)
    require(_takes(arithmetic, out.shape[0], out.shape[1], weight.shape[0]))
    right, rest = _pack_columns(arithmetic, weight, workspace)
    inputs = EpilogueInput(passed.ctypes.data, passed.strides[0], np.float32(scale))
    _multiply_gated(arithmetic, gradient, right, inputs, out, rest)


@kernel
def weight_gradient(
    arithmetic: Arithmetic, gradient: Numbers, x: Numbers, out: Numbers, total: Numbers, workspace: Workspace
) -> None:
    """gradient [N, M]ᵀ x [N, K] → out [M, K]; the sum of the gradient's rows, made in float32 → total [M]."""
    require_weight_gradient(gradient, x, out, total)
    require(_takes(arithmetic, x.shape[0], x.shape[1], out.shape[0]))
    _weight_gradient(arithmetic, gradient, x, out, total, workspace)
