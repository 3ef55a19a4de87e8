"""Products of bytes, some rows times a panel of columns, with all that is added up in registers, finished as bfloat16.

A right factor lies in panels of PANEL columns: four numbers of each that are added up beside each other, signed bytes
from -127 on. A left factor's bytes are larger by ZERO, and so without a sign, as VNNI wants them; sums start from what
this adds. It lies as its rows do, or turned, in panels of the same kind, of which some columns are its rows.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from polyhead.kernels.compiler import intrinsic, ir, typed
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, BYTE, COUNT, INTEGERS, LANES, REAL, REALS, Code
from polyhead.kernels.numbers.bfloat16 import shorts_of
from polyhead.kernels.sums.finish import Operation
from polyhead.kernels.sums.registers import ACROSS, PANEL, add_fours, product
from polyhead.kernels.sums.vector_sums import FEWER, MOST, NUMBER, Left, Seen, rows_at_once

FOUR = 4
"""Numbers that are added up at once."""
STEP = FOUR * PANEL
"""Bytes of a panel's next numbers."""
ZERO = 128
"""What stands for 0 in a left factor."""
HALF = 2
"""Bytes of a bfloat16."""
_SHORTS = ir.VectorType(ir.IntType(16), LANES)
_SIXTEEN = ir.Constant(INTEGERS, [16] * LANES)
_ZEROS = ir.Constant(ir.VectorType(BYTE, FOUR * LANES), [ZERO] * FOUR * LANES)


class Right(NamedTuple):
    """Addresses of a right factor's panels, and of their columns' …"""

    panels: int
    steps: int
    """(of FOUR numbers, in each)"""
    starts: int
    """sums of nothing, less what ZERO adds,"""
    scales: int
    """and scales."""


@kernel
def panel_of(right: Right, column: int) -> Right:
    """The panel that begins with this column."""
    panel, beside = right.panels + FOUR * right.steps * column, NUMBER * column
    return Right(panel, right.steps, right.starts + beside, right.scales + beside)


def product_of_bytes(finish: Operation, turned: bool = False) -> Any:
    """The kernel of a product with a panel, finished."""
    six, four, one = (_sums(rows, finish, turned) for rows in (MOST, FEWER, 1))

    @kernel
    def multiply(left: Left, scales: int, rows: int, right: Right, seen: Seen, out: int, out_row: int) -> None:
        """left [rows, 4 · steps] and its rows' scales times a panel → out [rows, PANEL]."""
        done, panel, steps, starts, columns = 0, right.panels, right.steps, right.starts, right.scales
        while done < rows:
            count = rows_at_once(rows - done)
            if count == 1 and rows >= FEWER:  # some rows once more cost less than single ones
                done, count = rows - FEWER, FEWER
            given, scale = left.place + done * left.row, scales + NUMBER * done
            beside, to = seen.place + done * seen.row, out + done * out_row
            if count == MOST:
                six(given, left.row, panel, steps, starts, scale, columns, beside, seen.row, seen.factor, to, out_row)
            elif count == FEWER:
                four(given, left.row, panel, steps, starts, scale, columns, beside, seen.row, seen.factor, to, out_row)
            else:
                one(given, left.row, panel, steps, starts, scale, columns, beside, seen.row, seen.factor, to, out_row)
            done += count

    return multiply


def _sums(rows: int, finish: Operation, turned: bool) -> Any:
    @intrinsic
    def add_up(
        typing_context: Any,
        left: Any,
        row: Any,
        panel: Any,
        steps: Any,
        starts: Any,
        row_scales: Any,
        column_scales: Any,
        seen: Any,
        seen_row: Any,
        factor: Any,
        out: Any,
        out_row: Any,
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            *factors, seen, seen_row, factor, out, out_row = arguments
            code = Code(builder)
            found = sums_of_bytes(code, rows, Factors(*factors), turned)
            beside, to = (code.apart(place, bytes_, rows) for place, bytes_ in ((seen, seen_row), (out, out_row)))
            for sums, seen_here, out_here in zip(found, beside, to, strict=True):
                for number, each in enumerate(finish(code, sums, _reals(code, seen_here), factor)):
                    code.store(shorts_of(code, each), out_here, code.long(HALF * LANES * number))
            return context.get_dummy_value()

        kinds = (
            ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, COUNT, "float32", ADDRESS, COUNT
        )  # fmt: skip
        return typed("void", *kinds), generate

    return add_up


class Factors(NamedTuple):
    """A product's factors in LLVM: addresses, a left row's bytes and the right one's steps."""

    left: Any
    row: Any
    panel: Any
    steps: Any
    starts: Any
    row_scales: Any
    column_scales: Any


def sums_of_bytes(code: Code, rows: int, factors: Factors, turned: bool = False) -> Iterator[list[Any]]:
    """What their products stand for: for each row a panel's sums, ACROSS vectors of float32."""
    builder = code.builder
    places, begun = code.apart(factors.left, factors.row, rows), _vectors(code, INTEGERS, factors.starts) * rows
    totals = product(code, places, factors.panel, factors.steps, begun, add_fours, STEP if turned else FOUR)
    columns = _vectors(code, REALS, factors.column_scales)
    for number in range(rows):
        by = code.everywhere(code.load(REAL, factors.row_scales, code.long(NUMBER * number)))
        some = (builder.sitofp(total, REALS) for total in totals[ACROSS * number : ACROSS * (number + 1)])
        yield [builder.fmul(builder.fmul(total, by), column) for total, column in zip(some, columns, strict=True)]


def _vectors(code: Code, kind: Any, place: Any) -> list[Any]:
    """Of a panel's columns."""
    return [code.load(kind, place, code.long(NUMBER * LANES * number)) for number in range(ACROSS)]


def _reals(code: Code, place: Any) -> list[Any]:
    """Of bfloat16 at an address."""
    return [real_of(code, place, code.long(HALF * LANES * number)) for number in range(ACROSS)]


def real_of(code: Code, place: Any, offset: Any) -> Any:
    """A vector of bfloat16 as float32."""
    builder = code.builder
    wide = builder.zext(code.load(_SHORTS, place, offset), INTEGERS)
    return builder.bitcast(builder.shl(wide, _SIXTEEN), REALS)


@intrinsic
def starts_of(typing_context: Any, panel: Any, steps: Any, out: Any) -> Any:
    """(a panel, its steps, out): for each of its columns -ZERO times its sum."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        panel, steps, out = arguments
        code = Code(builder)
        zeros = builder.bitcast(_ZEROS, INTEGERS)

        def step(index: Any, totals: list[Any]) -> list[Any]:
            here = builder.add(panel, builder.mul(index, code.long(STEP)))
            numbers = _vectors(code, INTEGERS, here)
            return [add_fours(code, total, zeros, each) for total, each in zip(totals, numbers, strict=True)]

        nothing = ir.Constant(INTEGERS, [0] * LANES)
        for number, total in enumerate(code.repeat(steps, [nothing] * ACROSS, step)):
            code.store(builder.sub(nothing, total), out, code.long(NUMBER * LANES * number))
        return context.get_dummy_value()

    return typed("void", ADDRESS, COUNT, ADDRESS), generate
