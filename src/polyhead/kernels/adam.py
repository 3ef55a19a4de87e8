"""Adam (Kingma & Ba 2015) on weights that lie anywhere in memory, and the norm of their gradients.

Memory is what limits it: all that is kept of a number is read once, and written once. Weights are cut into chunks,
which threads take in turn; N chunks, G parts of a gradient.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.unowned import floats_at, halves_at
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, LANES, REAL, REALS, Code, instructions
from polyhead.kernels.numbers.bfloat16 import shorts_of, widened

CHUNK = 1 << 15
"""Numbers that a thread takes at a time."""
_BLOCK = 1 << 10
"""Numbers that stay in a core's first cache from one loop to the next."""

_AHEAD = 1 << 10
"""Bytes before a number is needed that its line is asked for."""

Floats = NDArray[np.float32]
Addresses = NDArray[np.uintp]


class Gradients(NamedTuple):
    """Where the chunks' gradients are."""

    counts: NDArray[np.intp]
    """Numbers in each; [N], as all others are that say no more."""
    totals: Addresses
    """Of float32, or 0 where there are none."""
    parts: Addresses
    """Of bfloat16, to be added to them, or 0; [N, G]."""


class Weights(NamedTuple):
    """Where the chunks' weights are, and what Adam keeps of them: float32, but for the copies."""

    weights: Addresses
    means: Addresses
    squares: Addresses
    copies: Addresses
    """The weights again, rounded to bfloat16."""


class Factors(NamedTuple):
    """Of one step, by the names of Kingma & Ba's algorithm 1; a kernel takes them as an array of float32."""

    scale: float
    """Of the gradient,"""
    decay: float
    """which this times the weight is added to."""
    beta1: float
    rest1: float
    """1 - β_1."""
    beta2: float
    rest2: float
    """1 - β_2."""
    rate: float
    """α / (1 - β_1^t)."""
    root: float
    """1 / √(1 - β_2^t)."""
    epsilon: float
    shrink: float
    """Of the weight before it is stepped: AdamW's decay."""


def chunked(places: Addresses, sizes: NDArray[np.intp], widths: list[int]) -> tuple[Addresses, NDArray[np.intp]]:
    """Addresses [weights, C] of numbers, of so many bytes each → the chunks' [N, C], and how many are in each [N]."""
    chunks = -(-sizes // CHUNK)
    of = np.repeat(np.arange(len(sizes)), chunks)
    first = (np.arange(len(of)) - np.repeat(np.cumsum(chunks) - chunks, chunks)) * CHUNK
    begun = places[of] + first[:, None].astype(np.uintp) * np.array(widths, np.uintp)
    return np.where(places[of] > 0, begun, places[of]), np.minimum(CHUNK, sizes[of] - first)


@kernel
def sum_of_squares(gradients: Gradients, own: int, threads: int) -> float:
    """Over every chunk of this thread's."""
    given, total = np.empty(_BLOCK, np.float32), 0.0
    for chunk in range(own, gradients.counts.shape[0], threads):
        for first in range(0, gradients.counts[chunk], _BLOCK):
            count = min(_BLOCK, gradients.counts[chunk] - first)
            _add_up(gradients, chunk, first, count, given)
            squares = np.float32(0)
            for n in range(count):
                squares += given[n] * given[n]
            total += float(squares)
    return total


@kernel
def step(gradients: Gradients, weights: Weights, factors: Floats, own: int, threads: int) -> None:
    """Every chunk of this thread's."""
    given, rest = np.empty(_BLOCK, np.float32), np.empty((4, LANES), np.float32)
    for chunk in range(own, gradients.counts.shape[0], threads):
        for first in range(0, gradients.counts[chunk], _BLOCK):
            count = min(_BLOCK, gradients.counts[chunk] - first)
            _add_up(gradients, chunk, first, count, given)
            _step_some(given, count, _from(weights, chunk, first), factors, rest)


@kernel
def _add_up(gradients: Gradients, chunk: int, first: int, count: int, out: Any) -> None:
    """The chunk's gradient from a number on."""
    total, parts, narrow = gradients.totals[chunk], gradients.parts[chunk], np.uintp(2 * first)
    done = 0
    if total > 0:
        out[:count] = floats_at(total + np.uintp(4 * first), count)
    elif parts.shape[0] > 1 and parts[0] > 0 and parts[1] > 0:  # as a rule
        one, other = halves_at(parts[0] + narrow, count), halves_at(parts[1] + narrow, count)
        for n in range(count):
            out[n] = widened(one[n]) + widened(other[n])
        done = 2
    else:
        out[:count] = 0
    for place in parts[done:]:
        if place > 0:
            part = halves_at(place + narrow, count)
            for n in range(count):
                out[n] += widened(part[n])


@kernel
def _from(weights: Weights, chunk: int, first: int) -> Any:
    """Where a chunk's numbers from one on are."""
    wide, narrow = np.uintp(4 * first), np.uintp(2 * first)
    here = weights.weights[chunk] + wide, weights.means[chunk] + wide, weights.squares[chunk] + wide
    return (*here, weights.copies[chunk] + narrow)


@kernel
def _step_some(gradient: Floats, count: int, places: Any, factors: Floats, rest: Floats) -> None:
    """So many numbers; rest [4, LANES]: room for the last ones where they are no whole vector."""
    whole, given = count // LANES * LANES, np.uintp(gradient.ctypes.data)
    weight, mean, square, copy = places
    wide, narrow, by = np.uintp(4 * whole), np.uintp(2 * whole), np.uintp(factors.ctypes.data)
    if whole > 0:
        _step_vectors(given, weight, mean, square, copy, whole // LANES, by)
    if count > whole:
        left = count - whole
        kept = floats_at(weight + wide, left), floats_at(mean + wide, left), floats_at(square + wide, left)
        for row in range(3):
            rest[row, :left] = kept[row]
        w, m, v, c = [np.uintp(rest[row].ctypes.data) for row in range(4)]
        _step_vectors(given + wide, w, m, v, c, 1, by)
        for row in range(3):
            kept[row][:] = rest[row, :left]
        out, shorts = halves_at(copy + narrow, left), halves_at(c, left)
        for n in range(left):
            out[n] = shorts[n]


@instructions(*[ADDRESS] * 5, COUNT, ADDRESS)
def _step_vectors(
    code: Code, gradient: Any, weight: Any, mean: Any, square: Any, copy: Any, count: Any, factors: Any
) -> None:
    """So many vectors, `count` ≥ 1, at these addresses; what comes next is asked for."""
    builder = code.builder
    add, times = builder.fadd, builder.fmul
    by = Factors(*[code.everywhere(code.load(REAL, factors, code.long(4 * n))) for n in range(len(Factors._fields))])
    with code.each(count) as index:
        place, narrow = builder.mul(index, code.long(4 * LANES)), builder.mul(index, code.long(2 * LANES))
        g, w, m, v = (code.load(REALS, each, place) for each in (gradient, weight, mean, square))
        g = add(times(g, by.scale), times(w, by.decay))
        m = add(times(m, by.beta1), times(g, by.rest1))
        v = add(times(v, by.beta2), times(times(g, g), by.rest2))
        below = add(times(code.call("llvm.sqrt.v16f32", REALS, v), by.root), by.epsilon)
        w = builder.fsub(times(w, by.shrink), builder.fdiv(times(m, by.rate), below))
        for value, address in zip((w, m, v), (weight, mean, square), strict=True):
            code.store(value, address, place)
            code.fetch(builder.add(address, builder.add(place, code.long(_AHEAD))), to_write=True)
        code.store(shorts_of(code, w), copy, narrow)
        code.fetch(builder.add(copy, builder.add(narrow, code.long(_AHEAD // 2))), to_write=True)
