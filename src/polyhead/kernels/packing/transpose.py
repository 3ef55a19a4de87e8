"""Transposes a gradient of bfloat16 and sums its rows on the way, for the gradients of a weight and a bias.

Shapes: R rows, N columns.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.compiler import ir
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, I16, LANES, V16F32, V16I32, Code, instructions
from polyhead.kernels.numbers.bfloat16 import BFloat16s, to_bfloat16, to_float32, unpack_pairs
from polyhead.kernels.numbers.formats import round_all

BLOCK = 2 * LANES
"""How many rows and columns are transposed in registers at once; a row of so many is one vector."""
_LANE = 8
"""How many numbers each of a vector's four lanes has. Within a lane a CPU shuffles two vectors fastest."""
_V32I16 = ir.VectorType(I16, BLOCK)


@kernel
def _transpose_rows(x: BFloat16s, first: int, end: int, out: BFloat16s, sums: NDArray[np.float32]) -> None:
    """Transposes rows `first` to `end` of x, at most BLOCK of them, and adds them to sums [N]."""
    columns = x.shape[1]
    transposed = columns - columns % BLOCK if end - first == BLOCK else 0
    for n in range(0, transposed, BLOCK):
        here, there = np.uintp(x[first, n:].ctypes.data), np.uintp(out[n, first:].ctypes.data)
        transpose_block(here, x.strides[0], there, out.strides[0], np.uintp(sums[n:].ctypes.data))
    for r in range(first, end):
        for n in range(transposed, columns):
            out[n, r] = x[r, n]
            sums[n] += to_float32(x[r, n])


@kernel
def transpose(x: BFloat16s, out: BFloat16s, total: BFloat16s) -> None:
    """x [R, N] → out [N, R] = xᵀ and total [N] = Σ_r x[r], added up in float32."""
    sums = np.zeros(x.shape[1], np.float32)
    for first in range(0, x.shape[0], BLOCK):
        _transpose_rows(x, first, min(first + BLOCK, x.shape[0]), out, sums)
    round_all(sums, total)


@kernel
def transpose_gated(x: BFloat16s, activated: BFloat16s, scale: float, out: BFloat16s, total: BFloat16s) -> None:
    """x [R, N] becomes scale · x where activated [R, N] is not 0, else 0; then it is transposed as by `transpose`.

    activated: what the ReLU, and a dropout after it, gave.
    """
    sums, factor = np.zeros(x.shape[1], np.float32), np.float32(scale)
    for first in range(0, x.shape[0], BLOCK):
        end = min(first + BLOCK, x.shape[0])
        for r in range(first, end):
            taken, seen = x[r], activated[r]
            for n in range(x.shape[1]):
                taken[n] = to_bfloat16(to_float32(taken[n]) * factor) if seen[n] else np.uint16(0)
        _transpose_rows(x, first, end, out, sums)
    round_all(sums, total)


@instructions(ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS)
def transpose_block(code: Code, x: Any, stride: Any, out: Any, out_stride: Any, sums: Any) -> None:
    """out [BLOCK, BLOCK] = xᵀ and sums [BLOCK] += Σ_r x[r], float32; strides in bytes."""
    builder = code.builder
    rows = [code.load(_V32I16, x, builder.mul(stride, code.i64(row))) for row in range(BLOCK)]
    for half, total in enumerate(_totals(code, rows)):
        offset = code.i64(4 * LANES * half)
        code.store(builder.fadd(code.load(V16F32, sums, offset), total), sums, offset)
    groups = [code.transposed(rows[first : first + _LANE]) for first in range(0, BLOCK, _LANE)]
    for column in range(_LANE):
        for lane, transposed in enumerate(_lanes_transposed(code, [group[column] for group in groups])):
            code.store(transposed, out, builder.mul(out_stride, code.i64(_LANE * lane + column)))


def _totals(code: Code, rows: list[Any]) -> list[Any]:
    """The sum of vectors of bfloat16 as two vectors of float32: its first half and its last."""
    parts = [unpack_pairs(code, code.builder.bitcast(row, V16I32)) for row in rows]
    one, other = (_sum(code, list(each)) for each in zip(*parts, strict=True))
    places = range(LANES // 2), range(LANES // 2, LANES)
    return [code.shuffle(one, other, [n + rest for n in some for rest in (0, LANES)]) for some in places]


def _sum(code: Code, vectors: list[Any]) -> Any:
    """The sum of 2ⁿ vectors, added pair by pair."""
    while len(vectors) > 1:
        half = len(vectors) // 2
        vectors = [code.builder.fadd(*two) for two in zip(vectors[:half], vectors[half:], strict=True)]
    return vectors[0]


def _lanes_transposed(code: Code, vectors: list[Any]) -> list[Any]:
    """Four vectors of four lanes → their transpose: the first result has the first lane of each vector, and so on."""
    a, b, c, d = vectors

    def mixed(one: Any, other: Any, *lanes: int) -> Any:
        return code.shuffle(one, other, [_LANE * lane + number for lane in lanes for number in range(_LANE)])

    first, last = ([mixed(*two, *lanes) for two in ((a, b), (c, d))] for lanes in ((0, 1, 4, 5), (2, 3, 6, 7)))
    return [mixed(*both, *lanes) for both in (first, last) for lanes in ((0, 2, 4, 6), (1, 3, 5, 7))]
