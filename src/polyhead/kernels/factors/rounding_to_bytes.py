"""Numbers of bfloat16 to whole ones of 8 bits: the inner loops. Columns come in multiples of PANEL."""

from functools import partial
from typing import Any

from polyhead.kernels.compiler import intrinsic, ir, typed
from polyhead.kernels.factors.rounding import AT_ONCE, whole
from polyhead.kernels.llvm import ADDRESS, BYTE, COUNT, INTEGER, INTEGERS, LANES, REALS, Code
from polyhead.kernels.sums.byte_sums import FOUR, HALF, STEP, ZERO, real_of
from polyhead.kernels.sums.registers import ACROSS, PANEL
from polyhead.kernels.sums.vector_sums import NUMBER

_BYTES = ir.VectorType(BYTE, LANES)
_WIDE = 2 * LANES
"""Numbers of 16 bits in a vector."""
_SHORT = ir.IntType(16)
_SHORTS = ir.VectorType(_SHORT, _WIDE)
_WITHOUT_SIGN = ir.Constant(_SHORTS, [0x7FFF] * _WIDE)
_LOWEST = ir.Constant(INTEGERS, [0xFF] * LANES)
_ZEROS = {BYTE: ir.Constant(_BYTES, [ZERO] * LANES), INTEGER: ir.Constant(INTEGERS, [ZERO * 0x01010101] * LANES)}


def _size(code: Code, place: Any, offset: Any) -> Any:
    """Numbers without their signs. As integers they are in the same order."""
    return code.builder.and_(code.load(_SHORTS, place, offset), _WITHOUT_SIGN)


def _larger(code: Code, one: Any, other: Any) -> Any:
    return code.builder.select(code.builder.icmp_unsigned(">", one, other), one, other)


@intrinsic
def largest_of(typing_context: Any, x: Any, panels: Any) -> Any:
    """(x, columns / PANEL) → the size of the largest, as float32; a NaN is larger than any."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, panels = arguments
        code = Code(builder)

        def step(index: Any, found: list[Any]) -> list[Any]:
            here = builder.add(x, builder.mul(index, code.long(HALF * PANEL)))
            sizes = [_size(code, here, code.long(HALF * _WIDE * number)) for number in range(len(found))]
            return [_larger(code, *both) for both in zip(found, sizes, strict=True)]

        one, other = code.repeat(panels, [ir.Constant(_SHORTS, [0] * _WIDE)] * (PANEL // _WIDE), step)
        largest = code.folded(_larger(code, one, other), partial(_larger, code))
        bits = builder.shl(builder.zext(largest, INTEGER), ir.Constant(INTEGER, 16))
        return builder.bitcast(bits, REALS.element)

    return typed("float32", ADDRESS, COUNT), generate


def _round_row(with_sign: bool) -> Any:
    """(x, columns / PANEL, factor, out): numbers, times the factor, as bytes; without a sign they are ZERO more."""

    @intrinsic
    def round_row(typing_context: Any, x: Any, panels: Any, factor: Any, out: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            x, panels, factor, out = arguments
            code = Code(builder)
            factors = code.everywhere(factor)

            def step(index: Any, nothing: list[Any]) -> list[Any]:
                here = builder.add(x, builder.mul(index, code.long(HALF * PANEL)))
                to = builder.add(out, builder.mul(index, code.long(PANEL)))
                for number in range(ACROSS):
                    numbers = real_of(code, here, code.long(HALF * LANES * number))
                    bytes_ = builder.trunc(whole(code, numbers, factors), _BYTES)
                    bytes_ = bytes_ if with_sign else builder.xor(bytes_, _ZEROS[BYTE])
                    code.store(bytes_, to, code.long(LANES * number))
                return nothing

            code.repeat(panels, [], step)
            return context.get_dummy_value()

        return typed("void", ADDRESS, COUNT, "float32", ADDRESS), generate

    return round_row


round_row, round_row_with_sign = map(_round_row, (False, True))


def _look_down(rows: int, add: bool) -> Any:
    """(x, a row's bytes, columns / _WIDE, sizes, total): of each column the largest size so far, perhaps its sum."""

    @intrinsic
    def look_down(typing_context: Any, x: Any, row: Any, vectors: Any, sizes: Any, total: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            x, row, vectors, sizes, total = arguments
            code = Code(builder)
            places = code.apart(x, row, rows)

            def step(index: Any, nothing: list[Any]) -> list[Any]:
                here, sums = (builder.mul(index, code.long(_WIDE * size)) for size in (HALF, NUMBER))
                found = code.load(_SHORTS, sizes, here)
                for place in places:
                    found = _larger(code, found, _size(code, place, here))
                code.store(found, sizes, here)
                for part in range(2 if add else 0):
                    to = builder.add(sums, code.long(NUMBER * LANES * part))
                    added, there = code.load(REALS, total, to), builder.add(here, code.long(HALF * LANES * part))
                    for place in places:
                        added = builder.fadd(added, real_of(code, place, there))
                    code.store(added, total, to)
                return nothing

            code.repeat(vectors, [], step)
            return context.get_dummy_value()

        return typed("void", ADDRESS, COUNT, COUNT, ADDRESS, ADDRESS), generate

    return look_down


look_down_four, look_down_one = (_look_down(rows, add=False) for rows in (AT_ONCE, 1))
add_down_four, add_down_one = (_look_down(rows, add=True) for rows in (AT_ONCE, 1))


def _round_down(with_sign: bool) -> Any:
    """(x, a row's bytes, steps, factors, out): PANEL columns of FOUR rows in each step, as a panel's bytes."""

    @intrinsic
    def round_down(typing_context: Any, x: Any, row: Any, steps: Any, factors: Any, out: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            x, row, steps, factors, out = arguments
            code = Code(builder)
            by = [code.load(REALS, factors, code.long(NUMBER * LANES * number)) for number in range(ACROSS)]
            shifts = [ir.Constant(INTEGERS, [8 * number] * LANES) for number in range(FOUR)]

            def step(index: Any, nothing: list[Any]) -> list[Any]:
                here = builder.add(x, builder.mul(index, builder.mul(row, code.long(FOUR))))
                to, rows = builder.add(out, builder.mul(index, code.long(STEP))), code.apart(here, row, FOUR)
                for number, each in enumerate(by):
                    four = ir.Constant(INTEGERS, [0] * LANES)
                    for place, shift in zip(rows, shifts, strict=True):
                        numbers = real_of(code, place, code.long(HALF * LANES * number))
                        byte = builder.and_(whole(code, numbers, each), _LOWEST)
                        four = builder.or_(four, builder.shl(byte, shift))
                    four = four if with_sign else builder.xor(four, _ZEROS[INTEGER])
                    code.store(four, to, code.long(NUMBER * LANES * number))
                return nothing

            code.repeat(steps, [], step)
            return context.get_dummy_value()

        return typed("void", ADDRESS, COUNT, COUNT, ADDRESS, ADDRESS), generate

    return round_down


round_down, round_down_with_sign = map(_round_down, (False, True))
