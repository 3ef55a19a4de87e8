"""What a search does with a row of V logits at every step.

They are read once or twice, for their sum and for the largest of every chunk. After that, only chunks in which there
may be something to find are read. Shapes: R rows, V vocabulary, N sentences, C candidates.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.bounds import require
from polyhead.kernels.kernel import kernel
from polyhead.kernels.numbers.exponential import exp, sum_exp
from polyhead.kernels.numbers.extremes import BLOCK, block_maxima, maximum
from polyhead.kernels.threads.team import Board, shared

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
CHUNK = BLOCK
"""How many logits of a row make a chunk, whose maximum is looked at before any of its logits."""
SEGMENTS = 4
"""Into how many parts a row is divided, whose maxima and sums are computed apart."""


@kernel
def _maximum(row: Floats) -> Any:
    blocks = row.shape[0] // CHUNK
    found = np.float32(-np.inf)
    if blocks:
        found = maximum(np.uintp(row.ctypes.data), blocks)
    for v in range(blocks * CHUNK, row.shape[0]):
        found = max(found, row[v])
    return found


@kernel
def _survey(member: int, first: int, last: int, given: Any) -> None:
    """Maxima and sums of segments first … last - 1; a team's member gets those whose logits it has computed."""
    logits, peaks, maxima, sums = given
    rows, chunks = peaks.shape
    for number in range(first, last):
        r, segment = number % rows, number // rows
        begin, end = segment * chunks // SEGMENTS, (segment + 1) * chunks // SEGMENTS
        row = logits[r, begin * CHUNK : min(end * CHUNK, logits.shape[1])]
        here, whole, total = np.uintp(row.ctypes.data), row.shape[0] // CHUNK, np.float32(0)
        highest, rest = np.float32(-np.inf), row[whole * CHUNK :]
        if whole:
            highest = block_maxima(here, whole, np.uintp(peaks[r, begin:].ctypes.data))
        if rest.shape[0]:
            peaks[r, end - 1] = found = _maximum(rest)
            highest = max(highest, found)
        if highest > -np.inf:
            if whole:
                total = sum_exp(here, whole, highest)
            for v in range(rest.shape[0]):
                total += exp(rest[v] - highest)
        maxima[r, segment], sums[r, segment] = highest, total


_all_segments = shared(_survey)


@kernel
def survey(logits: Floats, normalisers: Floats, peaks: Floats, board: Board) -> None:
    """logits [R, V] → normalisers [R] = log Σ exp (NaN where all are -∞); peaks [R, V / CHUNK], the maxima.

    A row's sum is added up from its segments' sums, so it doesn't depend on which threads compute them.
    """
    rows = logits.shape[0]
    require(peaks.shape[0] == rows and peaks.shape[1] == (logits.shape[1] + CHUNK - 1) // CHUNK)
    maxima, sums = np.empty((rows, SEGMENTS), np.float32), np.empty((rows, SEGMENTS), np.float32)
    _all_segments(board, rows * SEGMENTS, (logits, peaks, maxima, sums))
    for r in range(rows):
        highest, total = maxima[r].max(), np.float32(0)
        for segment in range(SEGMENTS):
            total += sums[r, segment] * np.exp(maxima[r, segment] - highest)
        normalisers[r] = highest + np.log(total)


@kernel
def most_probable(logits: Floats, peaks: Floats, tokens: Numbers) -> None:
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
    starts: Numbers,
    parents: Numbers,
    tokens: Numbers,
    values: Floats,
    totals: NDArray[np.float64],
) -> None:
    """For every n, the C largest bases[r] + log P in rows starts[n] … starts[n + 1] - 1 of logits [R, V], best first.

    log P = logits[r, v] - normalisers[r]; no logit is above its chunk's peak. Fills parents (r), tokens (v), values
    (log P) and totals, each [N, C]; where there are fewer, the total is -∞. Ties go to the first row and its
    first token.
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
        for c in range(count):
            values[n, c] = logits[rows[c], words[c]] - normalisers[rows[c]]


@kernel
def continue_all(
    prefixes: Numbers,
    history: Floats,
    parents: Numbers,
    tokens: Numbers,
    values: Floats,
    written: Numbers,
    known: Floats,
) -> None:
    """prefixes, history [R, t], each candidate's parent, token and log P [C] → its own: written, known [C, t + 1]."""
    length = prefixes.shape[1]
    for c in range(len(parents)):
        for t in range(length):
            written[c, t], known[c, t] = prefixes[parents[c], t], history[parents[c], t]
        written[c, length], known[c, length] = tokens[c], values[c]
