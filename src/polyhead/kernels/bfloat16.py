"""bfloat16 numbers: the upper halves of float32's, seen as integers of 16 bits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.compile import kernel

Halves = NDArray[np.uint16]
_SIXTEEN, _LOWER_HALF, _HALF_A_STEP = np.uint32(16), np.uint32(0xFFFF), np.uint32(0x8000)


@kernel
def widened(half: Any) -> Any:
    """The number as float32."""
    return np.float32(np.uint32(np.uint32(half) << _SIXTEEN).view(np.float32))


@kernel
def rounded(number: Any) -> Any:
    """The bfloat16 nearest to a float32; of two the larger one."""
    return np.uint16(np.uint32(np.float32(number).view(np.uint32) + _HALF_A_STEP) >> _SIXTEEN)


@kernel
def beside(lower: Any, upper: Any) -> Any:
    """Two numbers as one of 32 bits, as products take them."""
    return np.uint32(lower) | np.uint32(upper) << _SIXTEEN


@kernel
def parts(two: Any) -> tuple[Any, Any]:
    """The inverse of `beside`."""
    return np.uint16(two & _LOWER_HALF), np.uint16(two >> _SIXTEEN)


@kernel
def round_all(numbers: NDArray[np.float32], out: Halves) -> None:
    """numbers [N] → out [N]."""
    for n in range(numbers.shape[0]):
        out[n] = rounded(numbers[n])
