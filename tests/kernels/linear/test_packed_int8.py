"""Products of bytes against the same arithmetic in NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhead.engine.pack import pack_int8
from polyhead.hardware import cpu_features, may_use_tiles
from polyhead.kernels.linear.packed_int8 import TINY, multiply, quantise
from polyhead.kernels.microkernels.registers import MAX_LEVEL
from polyhead.kernels.threads.team import ALONE
from polyhead.model.levels import levels as levels_of

pytestmark = pytest.mark.skipif("avx2" not in cpu_features(), reason="this CPU has no AVX2")


def highest(digits: int) -> int:
    """The largest level of so many digits."""
    return (MAX_LEVEL + 1) ** digits - 1


def rounded_rows(x: np.ndarray, digits: int) -> tuple[np.ndarray, np.ndarray]:
    """[R, K] → the same in steps from each row's smallest number to its largest, and their distance."""
    low, high = x.min(1, keepdims=True), x.max(1, keepdims=True)
    scale = np.maximum(high - low, TINY).astype(np.float64) / highest(digits)
    return np.floor((x - low) / scale + 0.5) * scale + low, scale


def quantised(x: np.ndarray, digits: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """[R, K] → levels [R, K], put together of their digits, scales and zeros [R, 1]."""
    rows, inputs = x.shape
    levels, (scales, zeros) = np.empty((rows * digits, inputs), np.uint8), np.empty((2, rows), np.float32)
    quantise(x, digits, levels, scales, zeros)
    assert levels.max(initial=0) <= MAX_LEVEL
    places = (MAX_LEVEL + 1) ** np.arange(digits)[::-1]
    return (levels.reshape(rows, digits, inputs) * places[:, None]).sum(1), scales[:, None], zeros[:, None]


@given(
    rows=st.integers(0, 20),
    inputs=st.integers(1, 60),
    outputs=st.integers(1, 200),
    digits=st.integers(1, 2),
    seed=st.integers(0, 1000),
    relu=...,
)
@settings(max_examples=100, deadline=None)
def test_equals_the_product_of_rounded_factors(
    rows: int, inputs: int, outputs: int, digits: int, seed: int, relu: bool
) -> None:
    draw = np.random.default_rng(seed)
    weights = [draw.standard_normal((outputs, 4 * inputs), np.float32) for _ in range(2)]
    bias, least = draw.standard_normal(outputs, np.float32), 0.0 if relu else -np.inf
    product = pack_int8([lambda weight=weight: (weight, bias) for weight in weights], lambda: None, least, digits)
    x, y = draw.standard_normal((rows, 4 * inputs), np.float32), np.empty((rows, outputs), np.float32)
    for layer, weight in enumerate(weights):
        multiply(x, product, layer, y, ALONE)
        (right, v), (left, s) = levels_of(weight), rounded_rows(x, digits) if rows else (x, np.ones((0, 1)))
        expected = (left @ right.T.astype(np.float64)) * v + bias
        expected = np.maximum(expected, 0) if relu else expected
        # a level that lies between two whole numbers may be rounded either way
        np.testing.assert_allclose(y, expected, atol=float(2 * np.abs(s * v).max(initial=0)) * 127 + 1e-4, rtol=1e-4)


@pytest.mark.parametrize("digits", [1, 2])
def test_levels_are_exact_at_their_own_values(digits: int) -> None:
    lowest = -(highest(digits) // 2)
    x = (np.arange(lowest, lowest + highest(digits) + 1, dtype=np.float32) * np.float32(0.5))[None].repeat(3, 0)
    x[1], x[2] = 0, 7
    levels, scales, zeros = quantised(x, digits)
    assert levels[0].tolist() == list(range(highest(digits) + 1))
    assert (scales[0], zeros[0]) == (0.5, lowest / 2)
    for row in (1, 2):
        assert (scales[row] * levels[row] + zeros[row] == x[row]).all(), "a row of equal numbers stays one"


@pytest.mark.parametrize("digits", [1, 2])
def test_a_relus_outputs_are_rounded_half_as_much(digits: int) -> None:
    x = np.random.default_rng(0).random((50, 200), np.float32)
    levels, scales, zeros = quantised(x, digits)
    assert np.abs(scales * levels + zeros - x).max() < 0.51 / highest(digits)


@pytest.mark.parametrize("digits", [1, 2])
def test_the_largest_sums_are_exact(digits: int) -> None:
    signs = np.array([[1], [-1]], np.float32)
    product = pack_int8([lambda: (np.broadcast_to(signs, (2, 512)), None)], lambda: None, digits=digits)
    x, y = np.ones((7, 512), np.float32), np.empty((7, 2), np.float32)
    x[:, 0] = 0  # else a row of equal numbers, whose levels are 0
    multiply(x, product, 0, y, ALONE)
    np.testing.assert_allclose(y, [[511, -511]] * 7, rtol=1e-5)


@pytest.mark.parametrize("digits", [1, 2])
def test_a_rows_companions_do_not_change_it(digits: int) -> None:
    draw = np.random.default_rng(3)
    weight, x = draw.standard_normal((70, 128), np.float32), draw.standard_normal((23, 128), np.float32)
    product = pack_int8([lambda: (weight, None)], lambda: None, digits=digits)
    together, alone = np.empty((23, 70), np.float32), np.empty((1, 70), np.float32)
    multiply(x, product, 0, together, ALONE)
    for row in range(23):
        multiply(x[row : row + 1], product, 0, alone, ALONE)
        assert (alone[0] == together[row]).all()


@pytest.mark.skipif(not may_use_tiles(), reason="this CPU has no unit for matrices")
@pytest.mark.parametrize("rows", [3, 4, 5, 15, 16, 17, 40])
@pytest.mark.parametrize("inputs", [64, 192, 512])
@pytest.mark.parametrize("digits", [1, 2])
def test_tiles_change_nothing(rows: int, inputs: int, digits: int) -> None:
    draw = np.random.default_rng(rows)
    weight, bias = draw.standard_normal((200, inputs), np.float32), draw.standard_normal(200, np.float32)
    product = pack_int8([lambda: (weight, bias)], lambda: None, digits=digits)
    assert product.in_tiles
    x, y, expected = draw.standard_normal((rows, inputs), np.float32), *np.empty((2, rows, 200), np.float32)
    multiply(x, product, 0, y, ALONE)
    multiply(x, product._replace(in_tiles=False), 0, expected, ALONE)
    assert (y == expected).all()
