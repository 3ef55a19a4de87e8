"""The product of two vectors against float64."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import LANES
from polyhead.kernels.numbers.dot import dot

Floats = NDArray[np.float32]


@kernel
def _dot(x: Floats, y: Floats, vectors: int) -> float:
    return dot(x.ctypes.data, y.ctypes.data, vectors)


@given(st.integers(1, 40), st.integers(0, 1000))
def test_as_far_as_numbers_are_asked_for(vectors: int, seed: int) -> None:
    """Behind them there is none."""
    draw, size = np.random.default_rng(seed), vectors * LANES
    x, y = np.full((2, size + LANES), np.nan, np.float32)
    x[:size], y[:size] = draw.normal(size=(2, size))
    products = x[:size].astype(float) * y[:size]
    assert abs(_dot(x, y, vectors) - products.sum()) <= 2**-23 * (vectors + 4) * np.abs(products).sum()
