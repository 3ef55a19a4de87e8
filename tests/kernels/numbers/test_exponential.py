"""Exponentials one by one, in vectors and summed up, against NumPy in float64."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyhead.hardware import cpu_features
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, LANES, V16F32, Code, instructions
from polyhead.kernels.numbers.exponential import LARGEST_EXPONENT, LOG2_E, clamped_exp, exp, exp_vector, sum_exp
from polyhead.kernels.numbers.extremes import BLOCK

Floats = NDArray[np.float32]
UNIT = 2.0**-23


@instructions(ADDRESS, COUNT, ADDRESS)
def _exp_vectors(code: Code, x: Any, vectors: Any, out: Any) -> None:
    with code.loop(vectors) as index:
        here = code.builder.mul(index, code.i64(4 * LANES))
        code.store(exp_vector(code, code.load(V16F32, x, here)), out, here)


@instructions(ADDRESS, COUNT, "float32", ADDRESS)
def _clamped(code: Code, x: Any, vectors: Any, down: Any, out: Any) -> None:
    with code.loop(vectors) as index:
        here = code.builder.mul(index, code.i64(4 * LANES))
        code.store(clamped_exp(code, code.load(V16F32, x, here), code.broadcast(down)), out, here)


@kernel
def _exponentials(x: Floats, one_by_one: Floats, in_vectors: Floats) -> float:
    for n in range(x.shape[0]):
        one_by_one[n] = exp(x[n])
    _exp_vectors(x.ctypes.data, x.shape[0] // LANES, in_vectors.ctypes.data)
    return sum_exp(x.ctypes.data, x.shape[0] // BLOCK, np.float32(0))


@kernel
def _clamped_exponentials(x: Floats, down: Any, out: Floats) -> None:
    _clamped(x.ctypes.data, x.shape[0] // LANES, down, out.ctypes.data)


def assert_exponentials(found: Floats, exponents: NDArray[np.float64], shift: float = 0.0) -> None:
    """Within two units of the last place, and as many more as what exponents are made of is rounded by."""
    exact, rounded = np.exp(exponents), np.abs(exponents) + abs(shift)
    assert (np.abs(found - exact) <= (2 + rounded) * UNIT * exact).all()


def test_all_ways_are_near_float64s() -> None:
    x = np.linspace(-87, 0, 1000 * BLOCK, dtype=np.float32)
    one_by_one, in_vectors = np.empty_like(x), np.empty_like(x)
    total = _exponentials(x, one_by_one, in_vectors)
    assert_exponentials(one_by_one, x.astype(float))
    assert_exponentials(in_vectors, x.astype(float))
    assert one_by_one[-1] == in_vectors[-1] == 1
    assert total == pytest.approx(np.exp(x.astype(float)).sum(), rel=1e-6)


def test_what_is_too_small_for_an_exponent_is_nothing() -> None:
    x = np.array([-88, -1e4, -3e38, -np.inf] * LANES, np.float32)
    one_by_one, in_vectors = np.full((2, len(x)), np.nan, np.float32)
    assert _exponentials(x, one_by_one, in_vectors) == 0
    assert (in_vectors == 0).all()


@pytest.mark.skipif("avx512_f" not in cpu_features(), reason="this CPU scales no vector by powers of two")
@pytest.mark.parametrize("shift", [-40.0, 0.0, 25.0])
def test_a_difference_is_cut_off_where_it_is_too_large(shift: float) -> None:
    z = np.linspace(shift - 80, shift + 2 * LARGEST_EXPONENT, 100 * LANES, dtype=np.float32)
    out = np.empty_like(z)
    _clamped_exponentials(z, np.float32(-shift) * LOG2_E, out)
    assert_exponentials(out, np.minimum(z.astype(float) - shift, LARGEST_EXPONENT), shift)
    assert out.max() == out[-1]
