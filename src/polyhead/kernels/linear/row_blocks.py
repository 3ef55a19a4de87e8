"""How many rows a product with packed weights takes at once."""

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.registers import DOWN, HALF


@kernel
def rows_at_once(left: int) -> int:
    """DOWN, HALF or 1, the most of them that `left` rows have."""
    if left >= DOWN:
        return DOWN
    return HALF if left >= HALF else 1
