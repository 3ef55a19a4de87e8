"""What a search does with a row of V numbers at every step.

They are read once or twice, for their sum and for the largest number of every chunk; after that, only chunks in which
there may be something to find. Shapes: R rows, V vocabulary, N sentences, C candidates.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.compile import kernel
from polyhead.kernels.exponential import exponential
from polyhead.kernels.extremes import BLOCK, largest

Floats = NDArray[np.float32]
CHUNK = BLOCK
"""Numbers whose maximum is looked at before any of them: a row's numbers 0 … CHUNK - 1, and so on."""


@kernel
def _maximum(row: Floats) -> Any:
    blocks = row.shape[0] // CHUNK
    found = np.float32(-np.inf)
    if blocks:
        found = largest(np.uintp(row.ctypes.data), blocks)
    for v in range(blocks * CHUNK, row.shape[0]):
        found = max(found, row[v])
    return found


@kernel
def survey(logits: Floats, normalisers: Floats, peaks: Floats) -> None:
    """logits [R, V] → normalisers [R] = log Σ exp (NaN where all are -∞); peaks [R, V / CHUNK], the maxima."""
    for r in range(logits.shape[0]):
        row = logits[r]
        highest = np.float32(-np.inf)
        for chunk in range(peaks.shape[1]):
            found = _maximum(row[chunk * CHUNK : (chunk + 1) * CHUNK])
            peaks[r, chunk] = found
            highest = max(highest, found)
        total = np.float32(0)
        for v in range(row.shape[0]):
            total += exponential(row[v] - highest)
        normalisers[r] = highest + np.log(total)


@kernel
def most_probable(logits: Floats, peaks: Floats, tokens: NDArray[np.int64]) -> None:
    """logits [R, V], none of which is above its chunk's peak → tokens [R], the first of each row's largest."""
    for r in range(logits.shape[0]):
        row = logits[r]
        best, highest = 0, np.float32(-np.inf)
        for chunk in range(peaks.shape[1]):
            if peaks[r, chunk] > highest:
                first = chunk * CHUNK
                found = _maximum(row[first : first + CHUNK])
                if found > highest:
                    best, highest = first, found
        while best < row.shape[0] - 1 and row[best] != highest:
            best += 1
        tokens[r] = best


@kernel
def best_continuations(
    logits: Floats,
    normalisers: Floats,
    peaks: Floats,
    bases: NDArray[np.float64],
    starts: NDArray[np.int64],
    parents: NDArray[np.int64],
    tokens: NDArray[np.int64],
    totals: NDArray[np.float64],
) -> None:
    """Of the rows starts[n] … starts[n+1] - 1 of logits [R, V] the C largest bases[r] + log P, best first.

    log P = logits[r, v] - normalisers[r]; no logit is above its chunk's peak. Fills parents (r), tokens (v) and totals,
    each [N, C]; where there are fewer, the total is -∞. Ties go to the first row and there to the first token.
    """
    count = totals.shape[1]
    for n in range(starts.shape[0] - 1):
        best, rows, words = totals[n], parents[n], tokens[n]
        best[:], rows[:], words[:] = -np.inf, starts[n], 0
        found = 0
        for r in range(starts[n], starts[n + 1]):
            row, base, normaliser = logits[r], bases[r], normalisers[r]
            for chunk in range(peaks.shape[1]):
                if found == count and not base + np.float64(peaks[r, chunk] - normaliser) > best[count - 1]:
                    continue
                first = chunk * CHUNK
                for v in range(first, min(first + CHUNK, row.shape[0])):
                    total = base + np.float64(row[v] - normaliser)
                    if found < count or total > best[count - 1]:
                        place = min(found, count - 1)
                        found = place + 1
                        while place > 0 and total > best[place - 1]:
                            best[place], rows[place], words[place] = best[place - 1], rows[place - 1], words[place - 1]
                            place -= 1
                        best[place], rows[place], words[place] = total, r, v
