"""The inner loop of products in vectors, whose accumulators stay in registers, and the microkernels of translating.

A microkernel multiplies some rows by a panel of PANEL columns. It keeps as many accumulators at once as there are
registers.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from polyhead.hardware import VNNI, cpu_features
from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, COUNT, I8, LANES, V16F32, V16I16, V16I32, V32BF16, Code, instructions

PANEL_VECTORS = 4
"""How many vectors of columns a panel has."""
PANEL = LANES * PANEL_VECTORS
"""How many columns a panel has."""
MR = 6
"""The most rows that a microkernel of translating takes at once, as BLIS names them."""
INT8_MR = MR if VNNI & cpu_features() else 5
"""The most rows of bytes that a microkernel of translating takes at once. Without VNNI their products need registers
for a constant and for the sums of two products, too."""
REGISTERS = 32 if "avx512_f" in cpu_features() else 8
"""How many vectors of 16 lanes fit into registers: AVX-512 has 32, AVX2 has 16 of half the length."""

MAX_LEVEL = 255 if VNNI & cpu_features() else 127
"""The largest byte that is multiplied. Without VNNI two products are first added in 16 bits, which hold no more."""

HAS_BFLOAT16_DOT = "avx512_bf16" in cpu_features()
"""Whether the CPU multiplies bfloat16 in vectors."""

_V32I8 = ir.VectorType(I8, 2 * LANES)

MultiplyAdd = Callable[[Code, Any, Any, Any], Any]
"""(accumulators, a vector with one of a row's numbers in every lane, a vector of a panel) → the accumulators plus the
products of the other two."""


class Layout(NamedTuple):
    """How the operands of a product lie in memory."""

    panel_stride: int
    """Bytes of a panel's line, which holds the numbers of one step."""
    left_stride: int
    """Bytes between the numbers of two steps in a row of the left operand."""
    unrolled: int = 1
    """How many steps are written one after the other, which divides the number of steps."""
    block_stride: Any = None
    """Bytes, in LLVM, between two groups of `unrolled` steps in a row of the left operand; None: left_stride."""


OF_64 = Layout(panel_stride=4 * PANEL, left_stride=4)
"""A panel of 64 columns, and rows whose numbers follow each other."""


def int8_microkernel(rows: int) -> Any:
    """(x, its row's bytes, weight, K/4, start, out): out[r, n] = start[n] + Σ_k x[r, k] weight[n, k] for a panel's n.

    x [rows, K] unsigned bytes up to MAX_LEVEL; weight [K/4, PANEL, 4] bytes from -127 on; start [PANEL] and
    out [rows, PANEL] int32. K ≥ 4.
    """
    return _microkernel(rows, V16I32, add_int8_dot)


def add_int8_dot(code: Code, total: Any, four: Any, weights: Any) -> Any:
    """Four products of bytes in each of 16 lanes, added to it."""
    if "avx512_vnni" in cpu_features():
        return code.call("llvm.x86.avx512.vpdpbusd.512", V16I32, total, four, weights)
    halves = zip(*map(code.split, (total, four, weights)), strict=True)
    return code.concat(*(_add_int8_dot_of_half(code, *each) for each in halves))


def _add_int8_dot_of_half(code: Code, total: Any, four: Any, weights: Any) -> Any:
    if "avx_vnni" in cpu_features():
        return code.call("llvm.x86.avx512.vpdpbusd.256", total.type, total, four, weights)
    bytes_of_each = (code.builder.bitcast(each, _V32I8) for each in (four, weights))
    twos = code.call("llvm.x86.avx2.pmadd.ub.sw", V16I16, *bytes_of_each)
    fours = code.call("llvm.x86.avx2.pmadd.wd", total.type, twos, ir.Constant(V16I16, [1] * LANES))
    return code.builder.add(total, fours)


def float32_microkernel(rows: int) -> Any:
    """(x, its row's bytes, weight, K, start, out): out[r, n] = start[n] + Σ_k x[r, k] weight[n, k] for a panel's n.

    All float32: x [rows, K], weight [K, PANEL], start [PANEL], out [rows, PANEL]. K ≥ 1.
    """
    return _microkernel(rows, V16F32, add_float32_product)


def add_float32_product(code: Code, total: Any, factor: Any, weights: Any) -> Any:
    """A product of float32 in each of 16 lanes, added to it."""
    return code.multiply_add(factor, weights, total)


def bfloat16_microkernel(rows: int) -> Any:
    """(x, its row's bytes, weight, K/2, start, out): out[r, n] = start[n] + Σ_k x[r, k] weight[n, k] for a panel's n.

    x [rows, K] and weight [K/2, PANEL, 2] bfloat16; start [PANEL] and out [rows, PANEL] float32. K ≥ 2.
    """
    return _microkernel(rows, V16F32, add_bfloat16_dot)


def add_bfloat16_dot(code: Code, total: Any, two: Any, weights: Any) -> Any:
    """Two products of bfloat16 in each of 16 lanes, added in float32."""
    pairs = (code.builder.bitcast(each, V32BF16) for each in (two, weights))
    return code.call("llvm.x86.avx512bf16.dpbf16ps.512", V16F32, total, *pairs)


def _microkernel(rows: int, vector: Any, add: MultiplyAdd) -> Any:
    @instructions(ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS, ADDRESS)
    def product(code: Code, x: Any, stride: Any, weight: Any, steps: Any, start: Any, out: Any) -> None:
        builder = code.builder
        of_rows = [builder.add(x, builder.mul(stride, code.i64(row))) for row in range(rows)]
        count = columns_at_once(rows)
        for first in range(0, PANEL_VECTORS, count):
            offsets = [code.i64(4 * LANES * across) for across in range(first, first + count)]
            initial = [code.load(vector, start, offset) for offset in offsets] * rows
            part = builder.add(weight, offsets[0])
            found = iter(accumulate(code, of_rows, part, steps, initial, add, prefetches=count < PANEL_VECTORS))
            for row in range(rows):
                here = builder.add(out, code.i64(4 * PANEL * row))
                for offset in offsets:
                    code.store(next(found), here, offset)

    return product


def columns_at_once(rows: int) -> int:
    """How many of a panel's vectors are multiplied at once with some rows, all that they take in registers.

    There are accumulators, weights that several rows share, and one row's numbers.
    """
    shared = rows > 1
    return next(count for count in (4, 2, 1) if rows * count + shared * count + 1 <= REGISTERS)


def accumulate(
    code: Code,
    rows: Sequence[Any],
    panel: Any,
    steps: Any,
    initial: Sequence[Any],
    add: MultiplyAdd,
    layout: Layout = OF_64,
    prefetches: bool = False,
) -> list[Any]:
    """The inner loop of every product in vectors: rows' addresses times some columns of a panel → accumulators.

    A step takes 32 bits of each row, puts them into every lane, and adds their products with the panel's vectors:
    add(code, total, factors, weights). `initial` are the accumulators before the first step, as many for each row.
    prefetches: whether the same columns of the next panel are prefetched meanwhile. This pays where a panel is read in
    several passes; what one pass reads in the order of memory, the CPU prefetches by itself, and faster.
    """
    builder, vector, count = code.builder, initial[0].type, len(initial) // len(rows)
    length = code.i64(layout.panel_stride * layout.unrolled)

    def some_steps(index: Any, totals: list[Any]) -> list[Any]:
        here = builder.add(panel, builder.mul(index, length))
        offset = builder.mul(index, layout.block_stride or code.i64(layout.left_stride))
        addresses = [builder.add(row, offset) for row in rows]
        for step in range(layout.unrolled):
            places = [code.i64(layout.panel_stride * step + 4 * LANES * across) for across in range(count)]
            weights = [code.load(vector, here, place) for place in places]
            if prefetches:
                in_next_panel = builder.add(here, builder.mul(steps, length))
                for place in places:
                    code.prefetch(builder.add(in_next_panel, place))
            factors = [code.load(vector.element, address, code.i64(layout.left_stride * step)) for address in addresses]
            operands = [(factor, each) for factor in map(code.broadcast, factors) for each in weights]
            totals = [add(code, total, *pair) for total, pair in zip(totals, operands, strict=True)]
        return totals

    return code.fori_loop(steps, list(initial), some_steps)
