"""What a beam search does with a step's candidates: passes over numbers so few that each call of NumPy costs more.

Shapes: R live rows, N sentences still searched, C candidates of each, best first.
"""

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel

Numbers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


@kernel
def starts_of(sentences: Numbers, starts: Numbers) -> int:
    """sentences [R], each one's rows next to each other → starts [R + 1], where each's rows begin, and the last's end.

    Returns N, how many there are; starts has N + 1 numbers then.
    """
    rows, found = sentences.shape[0], 0
    for r in range(rows):
        if r == 0 or sentences[r] != sentences[r - 1]:
            starts[found] = r
            found += 1
    starts[found] = rows
    return found


@kernel
def sort_out(
    totals: NDArray[np.float64], tokens: Numbers, end: int, size: int, living: Booleans, ending: Booleans
) -> bool:
    """totals and tokens [N, C] → which may live on, the first `size` of each sentence that don't end, and which end.

    Ends count among the first `size` candidates alone; a total of -∞ is no candidate. Returns whether any ends.
    """
    any_ends = False
    for n in range(totals.shape[0]):
        alive = 0
        for c in range(totals.shape[1]):
            possible, ends = totals[n, c] > -np.inf, tokens[n, c] == end
            ending[n, c] = possible and ends and c < size
            any_ends |= ending[n, c]
            living[n, c] = possible and not ends and alive < size
            alive += living[n, c]
    return any_ends
