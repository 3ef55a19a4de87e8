"""Products of bytes, some rows times a panel of columns, with all that is added up in registers.

They end as bfloat16 or float32. A right factor lies in panels of PANEL columns: four numbers of each that are added up
beside each other, signed bytes from -127 on. A left factor's bytes are larger by ZERO, and so without a sign, as VNNI
wants them; sums start from what this adds. It lies as its rows do, or turned, in panels of the same kind, of which some
columns are its rows.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from polyhead.kernels.compiler import intrinsic, ir, typed
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, BYTE, COUNT, INTEGERS, LANES, REAL, REALS, Code
from polyhead.kernels.microkernels.epilogue import Operation
from polyhead.kernels.microkernels.registers import ACROSS, PANEL, SUMS, add_fours, product
from polyhead.kernels.microkernels.row_counts import by_some
from polyhead.kernels.microkernels.simd import NUMBER, EpilogueInput, LeftOperand
from polyhead.kernels.numbers.formats import Numbers
from polyhead.kernels.numbers.stored import stored

FOUR = 4
"""Numbers that are added up at once."""
STEP = FOUR * PANEL
"""Bytes of a panel's next numbers."""
WHOLE = range(ACROSS)
"""Of a panel's vectors, all."""
ZERO = 128
"""What stands for 0 in a left factor."""
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


class _Int8Operands(NamedTuple):
    """A product, an array of what is written, and where."""

    left: LeftOperand
    scales: int
    right: Right
    seen: EpilogueInput
    out: Numbers
    to: int
    out_row: int


def product_of_bytes(finish: Operation, turned: bool = False) -> Any:
    """The kernel of a product with a panel, finished."""
    take = by_some(partial(_sums, finish, turned), may_repeat=True)

    @kernel
    def multiply(
        left: LeftOperand, scales: int, rows: int, right: Right, seen: EpilogueInput, out: Numbers, to: int
    ) -> None:
        """left [rows, 4 · steps] and its rows' scales times a panel → [rows, PANEL], from an address on in out."""
        take(rows, _Int8Operands(left, scales, right, seen, out, to, out.strides[0]))

    return multiply


def _sums(finish: Operation, turned: bool, rows: int) -> Any:
    """(the first row, what is given): so many rows of a product, finished."""

    @intrinsic
    def add_up(typing_context: Any, first: Any, given: Any) -> Any:
        size, load, store = stored(given[_Int8Operands._fields.index("out")])
        at_once = min(ACROSS, SUMS // rows)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            code = Code(builder)
            first, (left, scales, right, seen, _, to, out_row) = arguments[0], code.parts(arguments[1])
            beside, beside_row, factor = code.parts(seen)
            places = code.apart(beside, beside_row, rows, first), code.apart(to, out_row, rows, first)
            for column in range(0, ACROSS, at_once):
                columns = range(column, column + at_once)
                offsets = [code.long(size * LANES * number) for number in columns]
                found = sums_of_bytes(code, rows, left, scales, right, first, columns, turned)
                for sums, seen_here, here in zip(found, *places, strict=True):
                    others = [load(code, seen_here, offset) for offset in offsets]
                    for each, offset in zip(finish(code, sums, others, factor), offsets, strict=True):
                        store(code, each, here, offset)
            return context.get_dummy_value()

        return typed("void", first, given), generate

    return add_up


def sums_of_bytes(
    code: Code,
    rows: int,
    left: Any,
    scales: Any,
    right: Any,
    first: Any,
    columns: range = WHOLE,
    turned: bool = False,
) -> Iterator[list[Any]]:
    """In LLVM a Left, the address of scales, and a panel → for each row, from the first on, these of its vectors."""
    builder = code.builder
    (place, row, _), (panel, steps, starts, column_scales) = code.parts(left), code.parts(right)
    places, begun = code.apart(place, row, rows, first), _vectors(code, INTEGERS, starts, columns) * rows
    here = builder.add(panel, code.long(NUMBER * LANES * columns.start))
    totals = product(code, places, here, steps, begun, add_fours, STEP if turned else FOUR)
    by_columns, count = _vectors(code, REALS, column_scales, columns), len(columns)
    for number, scale in enumerate(code.apart(scales, code.long(NUMBER), rows, first)):
        by = code.everywhere(code.load(REAL, scale, code.long(0)))
        some = (builder.sitofp(total, REALS) for total in totals[count * number : count * (number + 1)])
        yield [builder.fmul(builder.fmul(total, by), each) for total, each in zip(some, by_columns, strict=True)]


def _vectors(code: Code, kind: Any, place: Any, columns: range = WHOLE) -> list[Any]:
    """Of a panel's columns, these."""
    return [code.load(kind, place, code.long(NUMBER * LANES * number)) for number in columns]


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
