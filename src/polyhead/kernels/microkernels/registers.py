"""The inner loops of a linear map, with all they add up in registers."""

from collections.abc import Callable, Sequence
from typing import Any

from polyhead.hardware import VNNI, cpu_features
from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, BYTE, COUNT, INTEGERS, LANES, PAIRS, REALS, Code, instructions

ACROSS = 4
"""Vectors of a product's outputs whose weights lie together."""
PANEL = LANES * ACROSS
"""Those outputs."""
DOWN = 6
"""Rows that a product takes at once. Fewer are left over …"""
HALF = 3
"""… and taken by halves, then one by one."""
SUMS = 24 if "avx512_f" in cpu_features() else 6
"""Vectors added up at once: AVX-512 has 32 registers for them and for what is added, AVX2 has 16 of half the length."""

LEVELS = 255 if VNNI & cpu_features() else 127
"""The largest byte that is multiplied. Without VNNI two products are first added in 16 bits, which hold no more."""

ADDS_PAIRS = "avx512_bf16" in cpu_features()
"""Whether the CPU multiplies bfloat16 in vectors."""

_BYTES, _WORDS = ir.VectorType(BYTE, 2 * LANES), ir.VectorType(ir.IntType(16), LANES)

Add = Callable[[Code, Any, Any, Any], Any]


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

    def add(code: Code, total: Any, factor: Any, weights: Any) -> Any:
        return code.multiply_add(factor, weights, total)

    return _sums(rows, REALS, add)


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
            found = iter(product(code, of_rows, builder.add(weight, offsets[0]), steps, begun, add))
            for row in range(rows):
                here = builder.add(out, code.long(4 * PANEL * row))
                for offset in offsets:
                    code.store(next(found), here, offset)

    return sums


def product(
    code: Code, rows: Sequence[Any], weight: Any, steps: Any, begun: Sequence[Any], add: Add, between: int = 4
) -> list[Any]:
    """Rows' addresses times vectors of a panel's weights, from `begun` on, as many for each row → their sums.

    A step takes 32 bits of each row, in every lane, times the panel's: add(code, total, those, weights).
    between: bytes from a row's number to that of the next step.
    """
    builder, vector, count = code.builder, begun[0].type, len(begun) // len(rows)

    def step(index: Any, totals: list[Any]) -> list[Any]:
        here = builder.add(weight, builder.mul(index, code.long(4 * PANEL)))
        weights = [code.load(vector, here, code.long(4 * LANES * across)) for across in range(count)]
        column = builder.mul(index, code.long(between))
        factors = [code.everywhere(code.load(vector.element, row, column)) for row in rows]
        pairs = [(factor, each) for factor in factors for each in weights]
        return [add(code, total, *pair) for total, pair in zip(totals, pairs, strict=True)]

    return code.repeat(steps, list(begun), step)
