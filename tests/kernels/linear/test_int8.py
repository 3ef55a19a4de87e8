"""Products of bytes against the same arithmetic in NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhead.engine.pack import pack_int8
from polyhead.hardware import cpu_features, may_use_tiles
from polyhead.kernels.linear.int8 import HIGHEST, TINY, multiply, quantise
from polyhead.kernels.sums.registers import LEVELS
from polyhead.kernels.threads.team import ALONE

pytestmark = pytest.mark.skipif("avx2" not in cpu_features(), reason="this CPU has no AVX2")


def rounded_weight(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[N, K] → whole numbers of at most 127, and each output's scale."""
    scale = np.maximum(np.abs(weight).max(1, keepdims=True), TINY) / HIGHEST
    return np.rint(weight / scale), scale


def rounded_rows(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[R, K] → the same in LEVELS steps from each row's smallest number to its largest, and their distance."""
    low, high = x.min(1, keepdims=True), x.max(1, keepdims=True)
    scale = np.maximum(high - low, TINY).astype(np.float64) / LEVELS
    return np.floor((x - low) / scale + 0.5) * scale + low, scale


@given(
    rows=st.integers(0, 20), inputs=st.integers(1, 60), outputs=st.integers(1, 200), seed=st.integers(0, 1000), relu=...
)
@settings(max_examples=60, deadline=None)
def test_equals_the_product_of_rounded_factors(rows: int, inputs: int, outputs: int, seed: int, relu: bool) -> None:
    draw = np.random.default_rng(seed)
    weights = [draw.standard_normal((outputs, 4 * inputs), np.float32) for _ in range(2)]
    bias, least = draw.standard_normal(outputs, np.float32), 0.0 if relu else -np.inf
    product = pack_int8([lambda weight=weight: (weight, bias) for weight in weights], lambda: None, least)
    x, y = draw.standard_normal((rows, 4 * inputs), np.float32), np.empty((rows, outputs), np.float32)
    for layer, weight in enumerate(weights):
        multiply(x, product, layer, y, ALONE)
        (right, v), (left, s) = rounded_weight(weight), rounded_rows(x) if rows else (x, np.ones((0, 1)))
        expected = (left @ right.T.astype(np.float64)) * v.T + bias
        expected = np.maximum(expected, 0) if relu else expected
        # a level that lies between two whole numbers may be rounded either way
        np.testing.assert_allclose(y, expected, atol=float(2 * np.abs(s * v.T).max(initial=0)) * 127, rtol=1e-4)


def test_levels_are_exact_at_their_own_values() -> None:
    lowest = -(LEVELS // 2)
    x = (np.arange(lowest, lowest + LEVELS + 1, dtype=np.float32) * np.float32(0.5))[None].repeat(3, 0)
    x[1], x[2] = 0, 7
    levels, scales, zeros = np.empty(x.shape, np.uint8), np.empty(3, np.float32), np.empty(3, np.float32)
    quantise(x, levels, scales, zeros)
    assert levels[0].tolist() == list(range(LEVELS + 1))
    assert (scales[0], zeros[0]) == (0.5, lowest / 2)
    for row in (1, 2):
        assert (scales[row] * levels[row] + zeros[row] == x[row]).all(), "a row of equal numbers stays one"


def test_a_relus_outputs_are_rounded_half_as_much() -> None:
    x = np.random.default_rng(0).random((50, 200), np.float32)
    levels, scales, zeros = np.empty(x.shape, np.uint8), np.empty(50, np.float32), np.empty(50, np.float32)
    quantise(x, levels, scales, zeros)
    again = scales[:, None] * levels + zeros[:, None]
    assert np.abs(again - x).max() < 0.51 / LEVELS


def test_the_largest_sums_are_exact() -> None:
    signs = np.array([[1], [-1]], np.float32)
    product = pack_int8([lambda: (np.broadcast_to(signs, (2, 512)), None)], lambda: None)
    x, y = np.ones((7, 512), np.float32), np.empty((7, 2), np.float32)
    x[:, 0] = 0  # else a row of equal numbers, whose levels are 0
    multiply(x, product, 0, y, ALONE)
    np.testing.assert_allclose(y, [[511, -511]] * 7, rtol=1e-5)


def test_a_rows_companions_do_not_change_it() -> None:
    draw = np.random.default_rng(3)
    weight, x = draw.standard_normal((70, 128), np.float32), draw.standard_normal((23, 128), np.float32)
    product = pack_int8([lambda: (weight, None)], lambda: None)
    together, alone = np.empty((23, 70), np.float32), np.empty((1, 70), np.float32)
    multiply(x, product, 0, together, ALONE)
    for row in range(23):
        multiply(x[row : row + 1], product, 0, alone, ALONE)
        assert (alone[0] == together[row]).all()


@pytest.mark.skipif(not may_use_tiles(), reason="this CPU has no unit for matrices")
@pytest.mark.parametrize("rows", [3, 4, 5, 15, 16, 17, 40])
@pytest.mark.parametrize("inputs", [64, 192, 512])
def test_tiles_change_nothing(rows: int, inputs: int) -> None:
    draw = np.random.default_rng(rows)
    weight, bias = draw.standard_normal((200, inputs), np.float32), draw.standard_normal(200, np.float32)
    product = pack_int8([lambda: (weight, bias)], lambda: None)
    assert product.in_tiles
    x, y, expected = draw.standard_normal((rows, inputs), np.float32), *np.empty((2, rows, 200), np.float32)
    multiply(x, product, 0, y, ALONE)
    multiply(x, product._replace(in_tiles=False), 0, expected, ALONE)
    assert (y == expected).all()
