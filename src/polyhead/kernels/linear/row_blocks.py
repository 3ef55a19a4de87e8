"""How many rows a product with packed weights takes at once."""

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.registers import MR

COUNTS = range(MR, 0, -1)
"""The numbers of rows that there is a microkernel for."""


@kernel
def rows_at_once(left: int) -> int:
    """How many of the `left` rows are taken next: weights are read once for all the rows of a beam."""
    return min(left, MR)
