"""A linear map's products by whole numbers, against float64."""

import numpy as np
import pytest
from numpy.typing import NDArray

from polyhead.hardware import cpu_features
from polyhead.kernels.linear import gemm_int16 as gemm
from polyhead.kernels.linear.gemm_float32 import CACHED, ROWS
from polyhead.kernels.microkernels.simd import NUMBER
from polyhead.kernels.packing.pack_int16 import LONGEST, PAIRED

pytestmark = pytest.mark.skipif(not {"avx2", "fma3"} <= cpu_features(), reason="this CPU has no such vectors")

Numbers = NDArray[np.float32]
Exact = NDArray[np.float64]
WIDE = 2 * PAIRED
LONG = 2 * CACHED // NUMBER // WIDE
"""Rows of a wide matrix that, in pairs, fill the cache."""
COUNTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 64, ROWS - 1, ROWS + PAIRED, 2 * ROWS + 1, LONG + 3]
SIZES = [(PAIRED, PAIRED), (PAIRED, 3 * PAIRED), (WIDE, PAIRED), (9 * PAIRED, 8 * PAIRED)]


@pytest.fixture(params=[(rows, *sizes) for rows in COUNTS for sizes in SIZES], ids=str)
def shape(request: pytest.FixtureRequest) -> tuple[int, int, int]:
    return request.param


@pytest.fixture
def draw() -> np.random.Generator:
    return np.random.default_rng(1)


def room(shape: tuple[int, int, int]) -> gemm.Workspace:
    """With bytes before and behind that nobody may write to."""
    whole = np.full(gemm.workspace_bytes(*shape) + 2 * PAIRED, 255, np.uint8)  # as float32 no numbers
    return whole[PAIRED:-PAIRED]


def assert_guarded(used: gemm.Workspace) -> None:
    whole = used.base
    assert isinstance(whole, np.ndarray)
    assert (whole[:PAIRED] == 255).all()
    assert (whole[-PAIRED:] == 255).all()


def guarded(rows: int, columns: int) -> tuple[Numbers, Numbers]:
    """Room for a result, with a row before and behind it that nobody may write to."""
    whole = np.full((rows + 2, columns), 7, np.float32)
    return whole, whole[1:-1]


def spread(draw: np.random.Generator, *size: int) -> Numbers:
    """Rows and columns of very different length, as gradients have, and one of zeros each."""
    found = draw.normal(size=size) * 10.0 ** draw.uniform(-3, 3, size[:1])[:, None]
    found *= 10.0 ** draw.uniform(-3, 3, size[1])
    found[-1] = 0
    found[:, -1] = 0
    return found.astype(np.float32)


def assert_near(found: Numbers, left: Numbers, right: Numbers, seen: Exact | float = 0.0) -> None:
    """left [N, K] right [K, M], plus what is seen: off by no more than half a unit of each factor's numbers.

    And as a rule by much less: errors of both signs come together.
    """
    one, other = left.astype(float), right.astype(float)
    lengths = np.linalg.norm(one, axis=1)[:, None] * np.linalg.norm(other, axis=0)
    error = np.abs(found - (one @ other + seen))
    assert np.isfinite(found).all()
    assert (error <= lengths * np.sqrt(left.shape[1]) / float(LONGEST) + 1e-6 * np.abs(seen) + 1e-30).all()
    assert np.sqrt((error**2).sum()) <= 2e-4 * np.sqrt((lengths**2).sum() + np.sum(np.square(seen)))


@pytest.mark.parametrize("activated", [False, True])
def test_linear(shape: tuple[int, int, int], activated: bool, draw: np.random.Generator) -> None:
    rows, inputs, outputs = shape
    x, weight, bias = spread(draw, rows, inputs), spread(draw, outputs, inputs), spread(draw, 1, outputs)[0]
    (whole, out), used = guarded(rows, outputs), room(shape)
    gemm.linear(x, weight, bias, activated, out, used)
    exact = x.astype(float) @ weight.T.astype(float) + bias
    clear = np.abs(exact) > 1e-2 * np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(weight, axis=1) + np.abs(bias)
    if activated:
        assert (out >= 0).all()
        assert ((out > 0) == (exact > 0))[clear].all()
        gemm.linear(x, weight, bias, False, out, used)
    assert_near(out, x, weight.T, np.broadcast_to(bias.astype(float), out.shape))
    assert (whole[[0, -1]] == 7).all()
    assert_guarded(used)


def test_gradient_of_the_input(shape: tuple[int, int, int], draw: np.random.Generator) -> None:
    rows, inputs, outputs = shape
    gradient, weight = spread(draw, rows, outputs), spread(draw, outputs, inputs)
    (whole, out), used = guarded(rows, inputs), room(shape)
    gemm.input_gradient(gradient, weight, out, used)
    assert_near(out, gradient, weight)
    assert (whole[[0, -1]] == 7).all()
    assert_guarded(used)


def test_gradient_through_a_relu(shape: tuple[int, int, int], draw: np.random.Generator) -> None:
    rows, inputs, outputs = shape
    gradient, weight = spread(draw, rows, outputs), spread(draw, outputs, inputs)
    passed = np.maximum(draw.normal(size=(rows, inputs)), 0).astype(np.float32)
    (whole, out), used, all_of_it = guarded(rows, inputs), room(shape), np.empty((rows, inputs), np.float32)
    gemm.gated_gradient(gradient, weight, passed, 1.5, out, used)
    gemm.input_gradient(gradient, weight, all_of_it, used)
    np.testing.assert_allclose(out, np.where(passed > 0, np.float32(1.5) * all_of_it, 0), rtol=1e-6)
    assert (whole[[0, -1]] == 7).all()
    assert_guarded(used)


def test_gradient_of_weight_and_bias(shape: tuple[int, int, int], draw: np.random.Generator) -> None:
    rows, inputs, outputs = shape
    gradient, x = spread(draw, rows, outputs), spread(draw, rows, inputs)
    (whole, out), (whole_total, total), used = guarded(outputs, inputs), guarded(1, outputs), room(shape)
    gemm.weight_gradient(gradient, x, out, total[0], used)
    assert_near(out, gradient.T, x)
    exact = gradient.sum(0, dtype=float)
    np.testing.assert_allclose(total[0], exact, rtol=1e-5, atol=1e-6 * float(np.abs(gradient).sum(0).max()))
    assert (whole[[0, -1]] == 7).all()
    assert (whole_total[[0, -1]] == 7).all()
    assert_guarded(used)


@pytest.mark.parametrize("inputs", [PAIRED, 4096])
def test_the_largest_sums_are_not_cut_off(inputs: int) -> None:
    """Factors that point the same way, or the opposite way, in one number or in all."""
    one, all_of_them = np.zeros((1, inputs), np.float32), np.full((1, inputs), 3e9, np.float32)
    one[0, 5] = -7
    x = np.concatenate([one, all_of_them, -one, -all_of_them])
    weight, bias, out = np.tile(x, (PAIRED // 4, 1)), np.zeros(PAIRED, np.float32), np.empty((4, PAIRED), np.float32)
    gemm.linear(x, weight, bias, False, out, room((4, inputs, PAIRED)))
    assert_near(out, x, weight.T)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_stays_none(value: float) -> None:
    x, weight, out = (np.ones(size, np.float32) for size in ((3, PAIRED), (PAIRED, PAIRED), (3, PAIRED)))
    d_weight, total, used = np.empty((PAIRED, PAIRED), np.float32), np.empty(PAIRED, np.float32), room((3, PAIRED, 32))
    x[1, 4] = value
    gemm.linear(x, weight, total, False, out, used)
    assert not np.isfinite(out[1]).any()
    gemm.input_gradient(x, weight, out, used)
    assert not np.isfinite(out[1]).any()
    np.testing.assert_allclose(out[[0, 2]], PAIRED, rtol=1e-3)
    gemm.weight_gradient(x, x, d_weight, total, used)
    assert not np.isfinite(d_weight[4]).any()
    assert not np.isfinite(d_weight[:, 4]).any()


@pytest.mark.parametrize("size", [1e-30, 4.5e-23, 1e-19])
def test_what_is_too_short_counts_as_nothing(size: float) -> None:
    """Rounded squares so small would lead to numbers of more than 16 bits."""
    x, weight, out = (
        np.full((3, PAIRED), size, np.float32),
        np.ones((PAIRED, PAIRED), np.float32),
        np.empty((3, PAIRED)),
    )
    x[0], found = 1, out.astype(np.float32)
    gemm.linear(x, weight, np.zeros(PAIRED, np.float32), False, found, room((3, PAIRED, PAIRED)))
    np.testing.assert_allclose(found[0], PAIRED, rtol=1e-3)
    assert (found[1:] == 0).all()


def test_no_rows() -> None:
    nothing, weight = np.empty((0, PAIRED), np.float32), np.ones((PAIRED, PAIRED), np.float32)
    d_weight, total = np.ones((PAIRED, PAIRED), np.float32), np.ones(PAIRED, np.float32)
    gemm.linear(nothing, weight, total, False, nothing.copy(), room((0, PAIRED, PAIRED)))
    gemm.weight_gradient(nothing, nothing, d_weight, total, room((0, PAIRED, PAIRED)))
    assert (total == 0).all()
    assert (d_weight == 0).all()
