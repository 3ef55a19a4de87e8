"""The inner loops that round bfloat16 or float32 to 8-bit integers. The number of columns is a multiple of PANEL.

`x` is any array of the format that the numbers at the address `place` have.
"""

from functools import partial, reduce
from typing import Any

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, ANY, BYTE, COUNT, INTEGER, INTEGERS, LANES, REALS, Code, every, instructions
from polyhead.kernels.microkernels.int8 import FOUR, STEP, ZERO
from polyhead.kernels.microkernels.registers import ACROSS, PANEL
from polyhead.kernels.microkernels.simd import NUMBER
from polyhead.kernels.numbers.stored import LINE, magnitude_of, real_of_magnitude, stored

AT_ONCE = 4
"""How many rows `look_down_four` and `add_down_four` take."""
_TO_WHOLE = every(1.5 * 2**23)
"""Added to a number of float32 it leaves the nearest whole number in the last bits."""
_BYTES = ir.VectorType(BYTE, LANES)
_LOWEST = ir.Constant(INTEGERS, [0xFF] * LANES)
_ZEROS = {BYTE: ir.Constant(_BYTES, [ZERO] * LANES), INTEGER: ir.Constant(INTEGERS, [ZERO * 0x01010101] * LANES)}


def _whole(code: Code, numbers: Any, factors: Any) -> Any:
    """The nearest whole numbers to numbers times factors, in the lower half of each lane."""
    return code.builder.bitcast(code.multiply_add(numbers, factors, _TO_WHOLE), INTEGERS)


def _larger(code: Code, one: Any, other: Any) -> Any:
    return code.builder.select(code.builder.icmp_unsigned(">", one, other), one, other)


@instructions(ANY, ADDRESS, COUNT, result="float32")
def largest_of(code: Code, x: Any, place: Any, panels: Any) -> Any:
    """(x, place, columns / PANEL) → the magnitude of the largest number of a row, float32; a NaN is the largest."""
    builder, kind = code.builder, code.kinds[0]
    size, in_line = stored(kind).size, stored(kind).in_line

    def step(index: Any, found: list[Any]) -> list[Any]:
        here = builder.add(place, builder.mul(index, code.long(size * PANEL)))
        given = [magnitude_of(code, kind, here, code.long(LINE * number)) for number in range(len(found))]
        return [_larger(code, *both) for both in zip(found, given, strict=True)]

    nothing = ir.Constant(ir.VectorType(ir.IntType(8 * size), in_line), [0] * in_line)
    found = code.repeat(panels, [nothing] * (PANEL // in_line), step)
    return real_of_magnitude(code, code.folded(reduce(partial(_larger, code), found), partial(_larger, code)))


def _round_row(with_sign: bool) -> Any:
    """(x, place, columns / PANEL, factor, out): a row times the factor, as bytes; unsigned ones have ZERO added."""

    @instructions(ANY, ADDRESS, COUNT, "float32", ADDRESS)
    def round_row(code: Code, x: Any, place: Any, panels: Any, factor: Any, out: Any) -> None:
        builder, (size, load, _) = code.builder, stored(code.kinds[0])
        factors = code.everywhere(factor)
        with code.each(panels) as index:
            here = builder.add(place, builder.mul(index, code.long(size * PANEL)))
            to = builder.add(out, builder.mul(index, code.long(PANEL)))
            for number in range(ACROSS):
                numbers = load(code, here, code.long(size * LANES * number))
                bytes_ = builder.trunc(_whole(code, numbers, factors), _BYTES)
                bytes_ = bytes_ if with_sign else builder.xor(bytes_, _ZEROS[BYTE])
                code.store(bytes_, to, code.long(LANES * number))

    return round_row


round_row, round_row_with_sign = map(_round_row, (False, True))


def _look_down(rows: int, add: bool) -> Any:
    """(x, place, bytes of a row, LINEs in it, sizes, total): takes some rows into account in each column.

    sizes holds the largest magnitude of each column so far; where `add` says so, rows are added to total, too.
    """

    @instructions(ANY, ADDRESS, COUNT, COUNT, ADDRESS, ADDRESS)
    def look_down(code: Code, x: Any, place: Any, row: Any, lines: Any, sizes: Any, total: Any) -> None:
        builder, (size, load, _) = code.builder, stored(code.kinds[0])
        of_rows = code.apart(place, row, rows)
        with code.each(lines) as index:
            here = builder.mul(index, code.long(LINE))
            found = magnitude_of(code, code.kinds[0], sizes, here)
            for each in of_rows:
                found = _larger(code, found, magnitude_of(code, code.kinds[0], each, here))
            code.store(found, sizes, here)
            for part in range(0, LINE if add else 0, size * LANES):
                there = builder.add(here, code.long(part))
                to = builder.mul(there, code.long(NUMBER // size))
                added = code.load(REALS, total, to)
                for each in of_rows:
                    added = builder.fadd(added, load(code, each, there))
                code.store(added, total, to)

    return look_down


look_down_four, look_down_one = (_look_down(rows, add=False) for rows in (AT_ONCE, 1))
add_down_four, add_down_one = (_look_down(rows, add=True) for rows in (AT_ONCE, 1))


def _round_down(with_sign: bool) -> Any:
    """(x, place, bytes of a row, steps, factors, out): PANEL columns of FOUR rows a step, rounded, as a panel."""

    @instructions(ANY, ADDRESS, COUNT, COUNT, ADDRESS, ADDRESS)
    def round_down(code: Code, x: Any, place: Any, row: Any, steps: Any, factors: Any, out: Any) -> None:
        builder, (size, load, _) = code.builder, stored(code.kinds[0])
        by = [code.load(REALS, factors, code.long(NUMBER * LANES * number)) for number in range(ACROSS)]
        shifts = [ir.Constant(INTEGERS, [8 * number] * LANES) for number in range(FOUR)]
        with code.each(steps) as index:
            here = builder.add(place, builder.mul(index, builder.mul(row, code.long(FOUR))))
            to, rows = builder.add(out, builder.mul(index, code.long(STEP))), code.apart(here, row, FOUR)
            for number, each in enumerate(by):
                four = ir.Constant(INTEGERS, [0] * LANES)
                for each_row, shift in zip(rows, shifts, strict=True):
                    numbers = load(code, each_row, code.long(size * LANES * number))
                    byte = builder.and_(_whole(code, numbers, each), _LOWEST)
                    four = builder.or_(four, builder.shl(byte, shift))
                four = four if with_sign else builder.xor(four, _ZEROS[INTEGER])
                code.store(four, to, code.long(NUMBER * LANES * number))

    return round_down


round_down, round_down_with_sign = map(_round_down, (False, True))
