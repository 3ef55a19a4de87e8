"""Arrays that begin where a line of the CPU's caches does: what reads 64 bytes at a time then reads one line, not two.

NumPy's arrays begin 16 bytes behind a line's start. A tile whose rows lie across two lines takes twice the time.
"""

from math import prod
from typing import Any

import numpy as np

from polyhead.kernels.kernel import kernel

LINE = 64
"""How many bytes a line of the caches has."""


def zeros(shape: tuple[int, ...], dtype: Any) -> Any:
    """The same as np.zeros, but aligned."""
    size = np.dtype(dtype).itemsize
    whole = np.zeros(prod(shape) + LINE // size, dtype)
    first = -whole.ctypes.data % LINE // size
    return whole[first : first + prod(shape)].reshape(shape)


@kernel
def empty(rows: int, columns: int, dtype: Any) -> Any:
    """The same as np.empty [rows, columns], but aligned; for kernels to call."""
    memory = np.empty(rows * columns + LINE, dtype)
    first = (LINE - memory.ctypes.data % LINE) % LINE // memory.itemsize
    return memory[first : first + rows * columns].reshape((rows, columns))
