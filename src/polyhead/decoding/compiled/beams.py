"""What a beam search does with a step's candidates: passes over so few numbers that calls of NumPy cost more.

Shapes: R live rows, N sentences still searched, C candidates of each, best first.
"""

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel

Numbers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


@kernel
def starts_of(sentences: Numbers, starts: Numbers) -> int:
    """sentences [R], the rows of each next to each other → starts [R + 1], where the rows of each begin.

    Returns N, how many sentences there are. The last number written is starts[N] = R.
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
    """totals and tokens [N, C] → living [N, C], the first `size` of each sentence that don't end; ending [N, C].

    A candidate ends if its token is `end` and it is among the first `size`; a total of -∞ is no candidate.
    Returns whether any candidate ends.
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
