"""bfloat16 numbers: the upper halves of float32's, seen as integers of 16 bits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.compile import kernel

Halves = NDArray[np.uint16]
_SIXTEEN, _HALF_A_STEP = np.uint32(16), np.uint32(0x8000)


@kernel
def widened(half: Any) -> Any:
    """The number as float32."""
    return np.float32(np.uint32(np.uint32(half) << _SIXTEEN).view(np.float32))


@kernel
def rounded(number: Any) -> Any:
    """The bfloat16 nearest to a float32; of two the larger one."""
    return np.uint16(np.uint32(np.float32(number).view(np.uint32) + _HALF_A_STEP) >> _SIXTEEN)
