"""Checks of shapes, in the checked form of kernels, before numbers are read by address, where no index is compared.

In their usual form these do nothing, and nothing is left of them in the machine code.
"""

from typing import Any

from polyhead.kernels.checked import CHECKED
from polyhead.kernels.kernel import kernel


@kernel
def require(fits: bool) -> None:
    """Raises IndexError, in the checked form alone, where arrays have not the shapes that a loop takes for granted."""
    if CHECKED and not fits:
        raise IndexError("arrays do not fit each other: numbers beside them would be read or changed")


@kernel
def require_within(numbers: Any, size: int) -> None:
    """Raises IndexError, in the checked form alone, where one of numbers [N] is not a row 0 … size - 1."""
    if CHECKED:
        for n in range(numbers.shape[0]):
            if numbers[n] < 0 or numbers[n] >= size:
                raise IndexError("a row is not in the array that it is read from")


@kernel
def require_same(x: Any, y: Any) -> None:
    """Raises IndexError, in the checked form alone, where two arrays of two axes are not of the same shape."""
    require(x.shape[0] == y.shape[0] and x.shape[1] == y.shape[1])


@kernel
def require_product(x: Any, weight: Any, y: Any) -> None:
    """Raises IndexError, in the checked form alone, if the shapes are not x [N, K], weight [M, K] and y [N, M]."""
    require(x.shape[1] == weight.shape[1] and y.shape[0] == x.shape[0] and y.shape[1] == weight.shape[0])


@kernel
def require_input_gradient(gradient: Any, weight: Any, out: Any) -> None:
    """Raises IndexError, in the checked form alone, if not gradient [N, M], weight [M, K] and out [N, K]."""
    fits = gradient.shape[1] == weight.shape[0] and out.shape[1] == weight.shape[1]
    require(fits and out.shape[0] == gradient.shape[0])


@kernel
def require_weight_gradient(gradient: Any, x: Any, out: Any, total: Any) -> None:
    """Raises IndexError, in the checked form alone, if not gradient [N, M], x [N, K], out [M, K] and total [M]."""
    fits = gradient.shape[0] == x.shape[0] and out.shape[1] == x.shape[1]
    require(fits and out.shape[0] == gradient.shape[1] and total.shape[0] == gradient.shape[1])
