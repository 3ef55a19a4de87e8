"""The largest and the smallest numbers against NumPy's, which are the same to the bit."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.numbers.extremes import BLOCK, block_maxima, maximum, min_max

Floats = NDArray[np.float32]
numbers = st.floats(width=32, allow_nan=False)


@kernel
def _extremes(x: Floats, of_blocks: Floats) -> Any:
    address, blocks = x.ctypes.data, x.shape[0] // BLOCK
    low, high = min_max(address, blocks)
    return low, high, maximum(address, blocks), block_maxima(address, blocks, of_blocks.ctypes.data)


@given(st.integers(1, 4).flatmap(lambda blocks: arrays.arrays(np.float32, blocks * BLOCK, elements=numbers)))
def test_any_numbers(x: Floats) -> None:
    of_blocks = np.full(len(x) // BLOCK + 1, 7, np.float32)
    assert _extremes(x, of_blocks) == (x.min(), x.max(), x.max(), x.max())
    assert of_blocks.tolist() == [*x.reshape(-1, BLOCK).max(1), 7], "nothing behind the last block"


def test_wherever_it_stands() -> None:
    """Every place of a block, and of the one behind it."""
    of_blocks = np.empty(2, np.float32)
    for place in range(2 * BLOCK):
        x = np.zeros(2 * BLOCK, np.float32)
        x[place], x[place - 1] = 5, -3
        assert _extremes(x, of_blocks) == (-3, 5, 5, 5)
        assert of_blocks[place // BLOCK] == 5
