"""Adam (Kingma & Ba 2015) on weights that lie anywhere in memory, and the norm of their gradients.

Memory is what limits it: all that is kept of a number is read once, and written once. Weights are cut into chunks,
which threads take in turn. With PyTorch's own kernel, which needs sums in float32 first, an update of a `base` model
takes 2 to 5 % longer and 200 MiB more; with Muon, which leaves embeddings and vectors to Adam, there is no difference.
Shapes: N chunks, G parts of a gradient.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.unowned import bfloat16_at, float32_at
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, F32, LANES, V16F32, Code, instructions
from polyhead.kernels.numbers.bfloat16 import to_bfloat16s, to_float32

CHUNK = 1 << 15
"""How many numbers a thread takes at a time."""
_BLOCK = 1 << 10
"""How many numbers stay in a core's first cache from one loop to the next."""
_AHEAD = 1 << 10
"""How many bytes before a number is needed its line of memory is prefetched."""

Floats = NDArray[np.float32]
Addresses = NDArray[np.uintp]


class Gradients(NamedTuple):
    """Where the gradients of all chunks lie."""

    counts: NDArray[np.intp]
    """[N] how many numbers a chunk has."""
    totals: Addresses
    """[N] addresses of gradients in float32, or 0 where there are none."""
    parts: Addresses
    """[N, G] addresses of gradients in bfloat16 that are added to `totals`, or 0 where there are none."""


class Weights(NamedTuple):
    """Where the weights of all chunks lie, and what Adam keeps of them."""

    weights: Addresses
    """[N] float32."""
    means: Addresses
    """[N] float32, the moving means of gradients."""
    squares: Addresses
    """[N] float32, the moving means of their squares."""
    copies: Addresses
    """[N] bfloat16, the rounded weights."""


class Factors(NamedTuple):
    """The numbers of a step, named as in Kingma & Ba's algorithm 1; a kernel takes them as an array of float32."""

    scale: float
    """What a gradient is multiplied by."""
    decay: float
    """How much of the weight is then added to its gradient."""
    beta1: float
    """β_1."""
    rest1: float
    """1 - β_1."""
    beta2: float
    """β_2."""
    rest2: float
    """1 - β_2."""
    rate: float
    """α / (1 - β_1^t)."""
    root: float
    """1 / √(1 - β_2^t)."""
    epsilon: float
    """ε, which is added to the root in the denominator."""
    shrink: float
    """What a weight is multiplied by before the step, which is AdamW's decay."""


def chunked(places: Addresses, sizes: NDArray[np.intp], widths: list[int]) -> tuple[Addresses, NDArray[np.intp]]:
    """Cuts weights into chunks: places [weights, C] → chunks' addresses [N, C], and how many numbers each has [N].

    Each weight has `sizes` numbers, and C arrays of them; a number of array c has `widths[c]` bytes.
    """
    chunks = -(-sizes // CHUNK)
    of = np.repeat(np.arange(len(sizes)), chunks)
    first = (np.arange(len(of)) - np.repeat(np.cumsum(chunks) - chunks, chunks)) * CHUNK
    begun = places[of] + first[:, None].astype(np.uintp) * np.array(widths, np.uintp)
    return np.where(places[of] > 0, begun, places[of]), np.minimum(CHUNK, sizes[of] - first)


@kernel
def sum_of_squares(gradients: Gradients, own: int, threads: int) -> float:
    """The sum of the squares of all gradients in the chunks of one thread: `own`, `own` + `threads` and so on."""
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
    """Steps the weights in the chunks of one thread: `own`, `own` + `threads` and so on."""
    given, rest = np.empty(_BLOCK, np.float32), np.empty((4, LANES), np.float32)
    for chunk in range(own, gradients.counts.shape[0], threads):
        for first in range(0, gradients.counts[chunk], _BLOCK):
            count = min(_BLOCK, gradients.counts[chunk] - first)
            _add_up(gradients, chunk, first, count, given)
            _step_some(given, count, _from(weights, chunk, first), factors, rest)


@kernel
def _add_up(gradients: Gradients, chunk: int, first: int, count: int, out: Any) -> None:
    """The sum of all parts of a chunk's gradient → out [count], from the chunk's number `first` on."""
    total, parts, narrow = gradients.totals[chunk], gradients.parts[chunk], np.uintp(2 * first)
    done = 0
    if total > 0:
        out[:count] = float32_at(total + np.uintp(4 * first), count)
    elif parts.shape[0] > 1 and parts[0] > 0 and parts[1] > 0:  # as a rule
        one, other = bfloat16_at(parts[0] + narrow, count), bfloat16_at(parts[1] + narrow, count)
        for n in range(count):
            out[n] = to_float32(one[n]) + to_float32(other[n])
        done = 2
    else:
        out[:count] = 0
    for part_address in parts[done:]:
        if part_address > 0:
            part = bfloat16_at(part_address + narrow, count)
            for n in range(count):
                out[n] += to_float32(part[n])


@kernel
def _from(weights: Weights, chunk: int, first: int) -> Any:
    """The addresses of a chunk's weights, means, squares and copies from its number `first` on."""
    wide, narrow = np.uintp(4 * first), np.uintp(2 * first)
    here = weights.weights[chunk] + wide, weights.means[chunk] + wide, weights.squares[chunk] + wide
    return (*here, weights.copies[chunk] + narrow)


@kernel
def _step_some(gradient: Floats, count: int, places: Any, factors: Floats, rest: Floats) -> None:
    """Steps `count` weights at `places`; those behind the last whole vector by way of rest [4, LANES]."""
    whole, gradients = count // LANES * LANES, np.uintp(gradient.ctypes.data)
    weight, mean, square, copy = places
    wide, narrow, by = np.uintp(4 * whole), np.uintp(2 * whole), np.uintp(factors.ctypes.data)
    if whole > 0:
        _step_vectors(gradients, weight, mean, square, copy, whole // LANES, by)
    if count > whole:
        left = count - whole
        tail = float32_at(weight + wide, left), float32_at(mean + wide, left), float32_at(square + wide, left)
        for row in range(3):
            rest[row, :left] = tail[row]
        w, m, v, c = [np.uintp(rest[row].ctypes.data) for row in range(4)]
        _step_vectors(gradients + wide, w, m, v, c, 1, by)
        for row in range(3):
            tail[row][:] = rest[row, :left]
        out, shorts = bfloat16_at(copy + narrow, left), bfloat16_at(c, left)
        for n in range(left):
            out[n] = shorts[n]


@instructions(*[ADDRESS] * 5, COUNT, ADDRESS)
def _step_vectors(
    code: Code, gradient: Any, weight: Any, mean: Any, square: Any, copy: Any, count: Any, factors: Any
) -> None:
    """Steps `count` ≥ 1 vectors of weights at these addresses, and prefetches what comes next."""
    builder = code.builder
    add, times = builder.fadd, builder.fmul
    by = Factors(*[code.broadcast(code.load(F32, factors, code.i64(4 * n))) for n in range(len(Factors._fields))])
    with code.loop(count) as index:
        offset, narrow = builder.mul(index, code.i64(4 * LANES)), builder.mul(index, code.i64(2 * LANES))
        g, w, m, v = (code.load(V16F32, each, offset) for each in (gradient, weight, mean, square))
        g = add(times(g, by.scale), times(w, by.decay))
        m = add(times(m, by.beta1), times(g, by.rest1))
        v = add(times(v, by.beta2), times(times(g, g), by.rest2))
        below = add(times(code.call("llvm.sqrt.v16f32", V16F32, v), by.root), by.epsilon)
        w = builder.fsub(times(w, by.shrink), builder.fdiv(times(m, by.rate), below))
        for value, address in zip((w, m, v), (weight, mean, square), strict=True):
            code.store(value, address, offset)
            code.prefetch(builder.add(address, builder.add(offset, code.i64(_AHEAD))), to_write=True)
        code.store(to_bfloat16s(code, w), copy, narrow)
        code.prefetch(builder.add(copy, builder.add(narrow, code.i64(_AHEAD // 2))), to_write=True)
