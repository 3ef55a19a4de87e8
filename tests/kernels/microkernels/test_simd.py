"""Rows times a panel of float32, as training multiplies, against float64."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.epilogue import add_bias
from polyhead.kernels.microkernels.simd import (
    FLOAT_BYTES,
    WIDTH,
    EpilogueInput,
    LeftOperand,
    no_input,
    product_of,
)
from polyhead.kernels.numbers.vector_formats import VECTOR_BYTES

Floats = NDArray[np.float32]
_with_bias, _added = product_of(add_bias), product_of(None, transposed=True)
HEIGHT = 4
"""Rows of a transposed operand that are taken together."""


@kernel
def _in_rows(x: Floats, panel: Floats, bias: Floats, out: Floats) -> None:
    left, inputs = LeftOperand(x.ctypes.data, x.strides[0], VECTOR_BYTES), EpilogueInput(bias.ctypes.data, 0, 1.0)
    _with_bias(left, x.shape[0], panel.ctypes.data, panel.shape[0], inputs, out.ctypes.data, out.strides[0])


@kernel
def _transposed(x: Floats, panel: Floats, out: Floats) -> None:
    steps, nothing = panel.shape[0], no_input(out.ctypes.data)
    left = LeftOperand(x.ctypes.data, FLOAT_BYTES * steps, 0)
    _added(left, HEIGHT, panel.ctypes.data, steps, nothing, out.ctypes.data, out.strides[0])


def draw(*sizes: Any) -> list[Floats]:
    source = np.random.default_rng(0)
    return [source.normal(size=size).astype(np.float32) for size in sizes]


@pytest.mark.parametrize("rows", [1, 3, 4, 6, 9, 11])
@pytest.mark.parametrize("steps", [WIDTH, 3 * WIDTH])
def test_with_a_bias(rows: int, steps: int) -> None:
    """Operand and result are parts of wider rows."""
    wide, panel, bias = draw((rows, steps + 3), (steps, WIDTH), WIDTH)
    out = np.full((rows, WIDTH + 3), 7, np.float32)
    _in_rows(wide[:, 3:], panel, bias, out[:, :WIDTH])
    np.testing.assert_allclose(out[:, :WIDTH], wide[:, 3:].astype(float) @ panel + bias, atol=2e-5)
    assert (out[:, WIDTH:] == 7).all()


@pytest.mark.parametrize("steps", [WIDTH, 3 * WIDTH])
def test_added_to_what_is_there(steps: int) -> None:
    """The first numbers of HEIGHT rows lie beside each other, then their second ones."""
    x, panel, before = draw((steps, HEIGHT), (steps, WIDTH), (HEIGHT, WIDTH))
    out = before.copy()
    _transposed(x, panel, out)
    np.testing.assert_allclose(out, before + x.T.astype(float) @ panel, atol=2e-5)
