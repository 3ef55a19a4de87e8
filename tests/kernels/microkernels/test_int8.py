"""Rows of bytes times a panel of bytes: sums are exact, so results are the levels' own times both scales."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyhead.hardware import cpu_features
from polyhead.kernels.arrays.unowned import keep_alive
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.epilogue import add_bias
from polyhead.kernels.microkernels.int8 import (
    FOUR,
    LARGEST_INT8,
    ZERO_POINT,
    Int8RightOperand,
    product_of,
    write_compensation,
)
from polyhead.kernels.microkernels.registers import PANEL
from polyhead.kernels.microkernels.simd import EpilogueInput, LeftOperand

pytestmark = pytest.mark.skipif("avx2" not in cpu_features(), reason="this CPU multiplies no bytes")

Floats = NDArray[np.float32]
_multiply = product_of(add_bias)


@kernel
def _product(x: Any, x_scales: Floats, panel: Any, scales: Floats, bias: Floats, out: Floats) -> None:
    steps, compensation = panel.shape[0], np.empty(PANEL, np.int32)
    write_compensation(panel.ctypes.data, steps, compensation.ctypes.data)
    right = Int8RightOperand(panel.ctypes.data, steps, compensation.ctypes.data, scales.ctypes.data)
    left, inputs = LeftOperand(x.ctypes.data, x.strides[0], 0), EpilogueInput(bias.ctypes.data, 0, 1.0)
    _multiply(left, x_scales.ctypes.data, x.shape[0], right, inputs, out, out.ctypes.data)
    keep_alive(compensation)


@pytest.mark.parametrize("rows", [1, 3, 4, 6, 9, 11])
@pytest.mark.parametrize("steps", [1, 17, 500])
def test_signed_bytes(rows: int, steps: int) -> None:
    draw = np.random.default_rng(rows)
    sizes = (rows, FOUR * steps), (FOUR * steps, PANEL)
    x, weight = (draw.integers(-LARGEST_INT8, LARGEST_INT8 + 1, size) for size in sizes)
    x[0], weight[:, 0], weight[:, 1] = LARGEST_INT8, LARGEST_INT8, -LARGEST_INT8
    x_scales, scales, bias = (draw.uniform(0.5, 2, size).astype(np.float32) for size in (rows, PANEL, PANEL))
    out = np.empty((rows, PANEL), np.float32)
    panel = np.ascontiguousarray(weight.reshape(steps, FOUR, PANEL).transpose(0, 2, 1)).astype(np.int8)
    _product((x + ZERO_POINT).astype(np.uint8), x_scales, panel, scales, bias, out)
    exact = (x @ weight) * x_scales[:, None].astype(float) * scales
    np.testing.assert_allclose(out, exact + bias, rtol=3e-7, atol=3e-7 * float(np.abs(exact).max()))
