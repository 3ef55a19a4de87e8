"""How many rows a product with packed weights takes at once."""

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.registers import MR, SMALL_MR


@kernel
def rows_at_once(left: int) -> int:
    """How many of the `left` rows are taken next: MR, else SMALL_MR, else 1, the first that is not more than `left`."""
    if left >= MR:
        return MR
    return SMALL_MR if left >= SMALL_MR else 1
