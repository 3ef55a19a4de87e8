"""A head's scores, softmax and weighted sum over listed keys, one by one, against NumPy in float64."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyhead.kernels.attention.heads import scores, softmax, weighted_sum
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import LANES

Floats = NDArray[np.float32]
VECTORS = 2
SIZE = VECTORS * LANES
_scores, _weighted_sum = scores(VECTORS), weighted_sum(VECTORS)


@kernel
def _attend(query: Floats, store: Floats, rows: Any, add: int, products: Floats, weights: Floats, y: Floats) -> None:
    """The first half of a row of the store is a key, the second one a value."""
    key, stride, listed, count = store.ctypes.data, store.strides[0], rows.ctypes.data, rows.shape[0]
    _scores(query.ctypes.data, key, stride, listed, count, products.ctypes.data, add)
    for j in range(products.shape[0]):
        weights[j] = products[j]
    softmax(weights.ctypes.data, weights.shape[0] // LANES)
    _weighted_sum(weights.ctypes.data, key + 4 * SIZE, stride, listed, count, y.ctypes.data)


@pytest.mark.parametrize("count", [1, 5, 16, 17, 40])
@pytest.mark.parametrize("add", [False, True])
def test_of_listed_keys(count: int, add: bool) -> None:
    draw = np.random.default_rng(count)
    query, store = (draw.normal(size=size).astype(np.float32) for size in (SIZE, (50, 2 * SIZE)))
    rows, padded = draw.integers(0, 50, count).astype(np.int32), count + -count % LANES
    before = draw.normal(size=padded).astype(np.float32)
    before[count:] = -np.inf
    products, weights, y = before.copy(), np.empty(padded, np.float32), np.empty(SIZE, np.float32)
    _attend(query, store, rows, int(add), products, weights, y)

    keys, values = store[rows, :SIZE].astype(float), store[rows, SIZE:].astype(float)
    expected = keys @ query + (before[:count] if add else 0)
    np.testing.assert_allclose(products[:count], expected, atol=2e-5)
    assert (products[count:] == -np.inf).all()
    shares = np.exp(expected - expected.max())
    shares /= shares.sum()
    np.testing.assert_allclose(weights[:count], shares, atol=1e-6, rtol=1e-4)
    assert (weights[count:] == 0).all()
    np.testing.assert_allclose(y, shares @ values, atol=2e-5)
