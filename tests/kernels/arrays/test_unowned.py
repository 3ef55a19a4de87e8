"""Memory of a kernel's own arrays, used by its address."""

from typing import Any

import numpy as np

from polyhead.kernels.arrays.unowned import float32_at, keep_alive
from polyhead.kernels.kernel import kernel


@kernel
def _sum_of_ones(count: int) -> Any:
    """Of ones in an array, while other arrays of its size come and go."""
    ones = np.empty(count, np.float32)
    for n in range(count):
        ones[n] = 1
    address, total = ones.ctypes.data, np.float32(0)
    for n in range(count):
        twos = np.empty(count, np.float32)
        for m in range(count):
            twos[m] = 2
        total += float32_at(address, count)[n] * twos[n] / 2
    keep_alive(ones)
    return total


def test_an_array_that_is_still_in_use_is_not_given_back() -> None:
    for count in (1, 30, 300, 3000):
        assert _sum_of_ones(count) == count
