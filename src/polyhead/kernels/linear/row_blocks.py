"""How many rows a product with packed weights takes at once."""

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.registers import MR, SMALL_MR


@kernel
def rows_at_once(left: int) -> int:
    """MR, SMALL_MR or 1, the most of them that `left` rows have."""
    if left >= MR:
        return MR
    return SMALL_MR if left >= SMALL_MR else 1
