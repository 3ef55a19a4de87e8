"""A kernel for tests that compile."""

from typing import Any

from polyhead.kernels.kernel import kernel


@kernel
def filled(numbers: Any) -> None:
    """Ones."""
    for i in range(len(numbers)):
        numbers[i] = 1.0
