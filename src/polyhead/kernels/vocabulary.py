"""What a search does with a row of V numbers at every step, each in one or two passes over it.

Shapes: R rows, V vocabulary, N sentences, C candidates.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.compile import kernel
from polyhead.kernels.exponential import exponential
from polyhead.kernels.registers import PANEL, largest

Floats = NDArray[np.float32]
CHUNK = PANEL
"""Numbers whose maximum is looked at before any of them."""
_largest = largest(absolute=False)


@kernel
def _maximum(row: Floats) -> Any:
    blocks = row.shape[0] // CHUNK
    found = np.float32(-np.inf)
    if blocks:
        found = _largest(np.uintp(row.ctypes.data), blocks)
    for v in range(blocks * CHUNK, row.shape[0]):
        found = max(found, row[v])
    return found


@kernel
def log_softmax(scores: Floats, y: Floats) -> None:
    """scores [R, V] → y [R, V] = z - log Σ exp z; where all of a row are -∞, NaN, as PyTorch has it."""
    for r in range(scores.shape[0]):
        row, out = scores[r], y[r]
        highest = _maximum(row)
        total = np.float32(0)
        for v in range(row.shape[0]):
            total += exponential(row[v] - highest)
        shift = highest + np.log(total)
        for v in range(row.shape[0]):
            out[v] = row[v] - shift


@kernel
def most_probable(scores: Floats, tokens: NDArray[np.int64]) -> None:
    """scores [R, V] → tokens [R], the first of each row's largest."""
    for r in range(scores.shape[0]):
        row = scores[r]
        best, highest = 0, np.float32(-np.inf)
        for first in range(0, row.shape[0], CHUNK):
            found = _maximum(row[first : first + CHUNK])
            if found > highest:
                best, highest = first, found
        while best < row.shape[0] - 1 and row[best] != highest:
            best += 1
        tokens[r] = best


@kernel
def best_continuations(
    scores: Floats,
    bases: NDArray[np.float64],
    starts: NDArray[np.int64],
    parents: NDArray[np.int64],
    tokens: NDArray[np.int64],
    totals: NDArray[np.float64],
) -> None:
    """Of the rows starts[n] … starts[n+1] - 1 of scores [R, V] the C largest bases[r] + scores[r, v], best first.

    Fills parents (r), tokens (v) and totals, each [N, C]; where there are fewer, the total is -∞. Ties go to the first
    row and there to the first token.
    """
    count = totals.shape[1]
    for n in range(starts.shape[0] - 1):
        best, rows, words = totals[n], parents[n], tokens[n]
        best[:], rows[:], words[:] = -np.inf, starts[n], 0
        found = 0
        for r in range(starts[n], starts[n + 1]):
            row, base = scores[r], bases[r]
            for first in range(0, row.shape[0], CHUNK):
                chunk = row[first : first + CHUNK]
                if found == count and not base + np.float64(_maximum(chunk)) > best[count - 1]:
                    continue
                for v in range(chunk.shape[0]):
                    total = base + np.float64(chunk[v])
                    if found < count or total > best[count - 1]:
                        place = min(found, count - 1)
                        found = place + 1
                        while place > 0 and total > best[place - 1]:
                            best[place], rows[place], words[place] = best[place - 1], rows[place - 1], words[place - 1]
                            place -= 1
                        best[place], rows[place], words[place] = total, r, first + v
