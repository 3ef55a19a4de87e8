"""The inner loop of products in vectors, whose accumulators stay in registers, and the microkernels of translating.

A microkernel multiplies some rows by a panel of PANEL columns, of which it keeps as many accumulators at once as there
are registers.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from polyhead.hardware import VNNI, cpu_features
from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, BYTE, COUNT, INTEGERS, LANES, PAIRS, REALS, Code, instructions

ACROSS = 4
"""How many vectors of columns a panel has."""
PANEL = LANES * ACROSS
"""How many columns a panel has."""
DOWN = 6
"""How many rows a microkernel takes at once."""
HALF = 3
"""How many it takes when fewer than DOWN are left; the last ones are taken one by one."""
SUMS = 24 if "avx512_f" in cpu_features() else 6
"""How many accumulators there are at once: AVX-512 has 32 registers for them and for what is added, AVX2 has 16, of
half the length."""

LEVELS = 255 if VNNI & cpu_features() else 127
"""The largest byte that is multiplied. Without VNNI two products are first added in 16 bits, which hold no more."""

ADDS_PAIRS = "avx512_bf16" in cpu_features()
"""Whether the CPU multiplies bfloat16 in vectors."""

_BYTES, _WORDS = ir.VectorType(BYTE, 2 * LANES), ir.VectorType(ir.IntType(16), LANES)

Add = Callable[[Code, Any, Any, Any], Any]
"""(sums, a vector with one of a row's numbers in every lane, a vector of a panel) → the sums and their products."""


class Layout(NamedTuple):
    """How the operands of a product lie in memory."""

    line: int
    """Bytes of a panel's line, which holds the numbers of one step."""
    between: int
    """Bytes between the numbers of two steps in a row of the left operand."""
    unrolled: int = 1
    """How many steps are written one after the other, which divides the number of steps."""
    block: Any = None
    """Bytes, in LLVM, between the numbers of a row with which two such groups of steps begin; else as of two steps."""


OF_64 = Layout(line=4 * PANEL, between=4)
"""A panel of 64 columns, and rows whose numbers follow each other."""


def integer_sums(rows: int) -> Any:
    """(x, its row's bytes, weight, K/4, start, out): out[r, n] = start[n] + Σ_k x[r, k] weight[n, k] for a panel's n.

    x [rows, K] unsigned bytes up to LEVELS; weight [K/4, PANEL, 4] bytes from -127 on; start [PANEL] and
    out [rows, PANEL] int32. K ≥ 4.
    """
    return _sums(rows, INTEGERS, add_fours)


def add_fours(code: Code, total: Any, four: Any, weights: Any) -> Any:
    """Four products of bytes in each of 16 lanes, added to it."""
    if "avx512_vnni" in cpu_features():
        return code.call("llvm.x86.avx512.vpdpbusd.512", INTEGERS, total, four, weights)
    halves = zip(*map(code.halves, (total, four, weights)), strict=True)
    return code.joined(*(_add_fours_of_half(code, *each) for each in halves))


def _add_fours_of_half(code: Code, total: Any, four: Any, weights: Any) -> Any:
    if "avx_vnni" in cpu_features():
        return code.call("llvm.x86.avx512.vpdpbusd.256", total.type, total, four, weights)
    bytes_of_each = (code.builder.bitcast(each, _BYTES) for each in (four, weights))
    twos = code.call("llvm.x86.avx2.pmadd.ub.sw", _WORDS, *bytes_of_each)
    fours = code.call("llvm.x86.avx2.pmadd.wd", total.type, twos, ir.Constant(_WORDS, [1] * LANES))
    return code.builder.add(total, fours)


def real_sums(rows: int) -> Any:
    """(x, its row's bytes, weight, K, start, out): out[r, n] = start[n] + Σ_k x[r, k] weight[n, k] for a panel's n.

    All float32: x [rows, K], weight [K, PANEL], start [PANEL], out [rows, PANEL]. K ≥ 1.
    """
    return _sums(rows, REALS, add_product)


def add_product(code: Code, total: Any, factor: Any, weights: Any) -> Any:
    """A product of float32 in each of 16 lanes, added to it."""
    return code.multiply_add(factor, weights, total)


def pair_sums(rows: int) -> Any:
    """(x, its row's bytes, weight, K/2, start, out): out[r, n] = start[n] + Σ_k x[r, k] weight[n, k] for a panel's n.

    x [rows, K] and weight [K/2, PANEL, 2] bfloat16; start [PANEL] and out [rows, PANEL] float32. K ≥ 2.
    """
    return _sums(rows, REALS, add_pairs)


def add_pairs(code: Code, total: Any, two: Any, weights: Any) -> Any:
    """Two products of bfloat16 in each of 16 lanes, added in float32."""
    pairs = (code.builder.bitcast(each, PAIRS) for each in (two, weights))
    return code.call("llvm.x86.avx512bf16.dpbf16ps.512", REALS, total, *pairs)


def _sums(rows: int, vector: Any, add: Add) -> Any:
    @instructions(ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS, ADDRESS)
    def sums(code: Code, x: Any, stride: Any, weight: Any, steps: Any, start: Any, out: Any) -> None:
        builder = code.builder
        of_rows = [builder.add(x, builder.mul(stride, code.long(row))) for row in range(rows)]
        count = min(ACROSS, 1 << (SUMS // rows).bit_length() - 1)
        for first in range(0, ACROSS, count):
            offsets = [code.long(4 * LANES * across) for across in range(first, first + count)]
            begun = [code.load(vector, start, offset) for offset in offsets] * rows
            found = iter(accumulate(code, of_rows, builder.add(weight, offsets[0]), steps, begun, add))
            for row in range(rows):
                here = builder.add(out, code.long(4 * PANEL * row))
                for offset in offsets:
                    code.store(next(found), here, offset)

    return sums


def accumulate(
    code: Code, rows: Sequence[Any], panel: Any, steps: Any, begun: Sequence[Any], add: Add, layout: Layout = OF_64
) -> list[Any]:
    """The inner loop of every product in vectors: rows' addresses times some columns of a panel → their sums.

    A step takes 32 bits of each row, puts them into every lane, and adds their products with the panel's vectors:
    add(code, total, those, weights). `begun` are the sums before the first step, as many vectors for each row.
    """
    builder, vector, count = code.builder, begun[0].type, len(begun) // len(rows)

    def some_steps(index: Any, totals: list[Any]) -> list[Any]:
        here = builder.add(panel, builder.mul(index, code.long(layout.line * layout.unrolled)))
        offset = builder.mul(index, layout.block or code.long(layout.between))
        places = [builder.add(row, offset) for row in rows]
        for step in range(layout.unrolled):
            line = layout.line * step
            weights = [code.load(vector, here, code.long(line + 4 * LANES * across)) for across in range(count)]
            numbers = [code.load(vector.element, place, code.long(layout.between * step)) for place in places]
            pairs = [(factor, each) for factor in map(code.everywhere, numbers) for each in weights]
            totals = [add(code, total, *pair) for total, pair in zip(totals, pairs, strict=True)]
        return totals

    return code.repeat(steps, list(begun), some_steps)
