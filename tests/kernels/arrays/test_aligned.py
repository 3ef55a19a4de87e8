"""Arrays that begin with a line of the caches, in Python and in kernels."""

import numpy as np
import pytest

from polyhead.kernels.arrays import aligned
from polyhead.kernels.kernel import kernel


@kernel
def _bytes_beside_a_line(count: int) -> int:
    return aligned.empty(1, count, np.float32).ctypes.data % aligned.LINE


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.float32])
@pytest.mark.parametrize("shape", [(1,), (7, 3), (300, 1000)])
def test_arrays_begin_with_a_line(shape: tuple[int, ...], dtype: type) -> None:
    found = aligned.zeros(shape, dtype)
    assert found.ctypes.data % aligned.LINE == 0
    assert found.shape == shape
    assert found.dtype == dtype
    assert not found.any()


def test_so_do_those_of_kernels() -> None:
    assert [_bytes_beside_a_line(count) for count in (1, 10, 1000, 100_000)] == [0] * 4
