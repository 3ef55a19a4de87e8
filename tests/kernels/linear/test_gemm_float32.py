"""A linear map's products in vectors, against float64."""

import numpy as np
import pytest
from numpy.typing import NDArray

from polyhead.hardware import cpu_features
from polyhead.kernels.linear import gemm
from polyhead.kernels.linear.gemm_float32 import CACHED, ROWS
from polyhead.kernels.microkernels.simd import FLOAT_BYTES, WIDTH

pytestmark = pytest.mark.skipif(not {"avx2", "fma3"} <= cpu_features(), reason="this CPU has no such vectors")

ARITHMETIC = gemm.Float32()
Numbers = NDArray[np.float32]
WIDE = 4 * WIDTH
LONG = CACHED // FLOAT_BYTES // WIDE
"""Rows of a wide matrix that fill the cache."""
COUNTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 64, ROWS - 1, ROWS + WIDTH, 2 * ROWS + 1, LONG + 3]
SIZES = [(WIDTH, WIDTH), (2 * WIDTH, 3 * WIDTH), (WIDE, 2 * WIDTH), (3 * WIDTH, 8 * WIDTH)]


@pytest.fixture(params=[(rows, *sizes) for rows in COUNTS for sizes in SIZES], ids=str)
def shape(request: pytest.FixtureRequest) -> tuple[int, int, int]:
    return request.param


@pytest.fixture
def draw() -> np.random.Generator:
    return np.random.default_rng(1)


def workspace(shape: tuple[int, int, int]) -> gemm.Workspace:
    return np.full(gemm.workspace_bytes(ARITHMETIC, *shape), 255, np.uint8)  # as float32 no numbers


def guarded(rows: int, columns: int) -> tuple[Numbers, Numbers]:
    """Room for a result, with a row before and behind it that nobody may write to."""
    whole = np.full((rows + 2, columns), 7, np.float32)
    return whole, whole[1:-1]


def assert_is(whole: Numbers, found: Numbers, exact: NDArray[np.float64]) -> None:
    np.testing.assert_allclose(found, exact, rtol=1e-5, atol=2e-6 * float(np.abs(exact).max()))
    assert (whole[[0, -1]] == 7).all()


@pytest.mark.parametrize("activated", [False, True])
def test_linear(shape: tuple[int, int, int], activated: bool, draw: np.random.Generator) -> None:
    rows, inputs, outputs = shape
    x, weight, bias = (
        draw.normal(size=size).astype(np.float32) for size in ((rows, inputs), (outputs, inputs), outputs)
    )
    whole, out = guarded(rows, outputs)
    gemm.linear(ARITHMETIC, x, weight, bias, activated, out, workspace(shape))
    exact = x.astype(float) @ weight.T.astype(float) + bias
    assert_is(whole, out, np.maximum(exact, 0) if activated else exact)


def test_gradient_of_the_input(shape: tuple[int, int, int], draw: np.random.Generator) -> None:
    rows, inputs, outputs = shape
    gradient, weight = (draw.normal(size=size).astype(np.float32) for size in ((rows, outputs), (outputs, inputs)))
    whole, out = guarded(rows, inputs)
    gemm.input_gradient(ARITHMETIC, gradient, weight, out, workspace(shape))
    assert_is(whole, out, gradient.astype(float) @ weight.astype(float))


def test_gradient_through_a_relu(shape: tuple[int, int, int], draw: np.random.Generator) -> None:
    rows, inputs, outputs = shape
    sizes = (rows, outputs), (outputs, inputs), (rows, inputs)
    gradient, weight, passed = (draw.normal(size=size).astype(np.float32) for size in sizes)
    passed = np.maximum(passed, 0)
    whole, out = guarded(rows, inputs)
    gemm.gated_gradient(ARITHMETIC, gradient, weight, passed, 1.5, out, workspace(shape))
    assert_is(whole, out, np.where(passed > 0, 1.5 * (gradient.astype(float) @ weight.astype(float)), 0.0))


def test_gradient_of_weight_and_bias(shape: tuple[int, int, int], draw: np.random.Generator) -> None:
    rows, inputs, outputs = shape
    gradient, x = (draw.normal(size=size).astype(np.float32) for size in ((rows, outputs), (rows, inputs)))
    (whole, out), (whole_total, total) = guarded(outputs, inputs), guarded(1, outputs)
    gemm.weight_gradient(ARITHMETIC, gradient, x, out, total[0], workspace(shape))
    assert_is(whole, out, gradient.T.astype(float) @ x.astype(float))
    assert_is(whole_total, total, gradient.sum(0, dtype=float)[None])


def test_no_rows() -> None:
    nothing, weight = np.empty((0, WIDTH), np.float32), np.ones((WIDTH, WIDTH), np.float32)
    d_weight, total = np.ones((WIDTH, WIDTH), np.float32), np.ones(WIDTH, np.float32)
    gemm.linear(ARITHMETIC, nothing, weight, total, False, nothing.copy(), workspace((0, WIDTH, WIDTH)))
    gemm.weight_gradient(ARITHMETIC, nothing, nothing, d_weight, total, workspace((0, WIDTH, WIDTH)))
    assert (total == 0).all()
    assert (d_weight == 0).all()
