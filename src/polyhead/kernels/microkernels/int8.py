"""The microkernel of training's 8-bit integers: some rows of the left operand times a panel of the right one.

Results are bfloat16 or float32. The right operand lies in panels of PANEL columns, four numbers of a column, which are
summed over, beside each other: signed bytes from -127 on. The left operand's bytes have ZERO added and are unsigned, as
VNNI wants them; accumulators begin with what ZERO adds, subtracted. The left operand lies in rows; or it is transposed:
then it lies in panels like the right operand's, and its rows are their columns.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from polyhead.kernels.compiler import ir
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, ANY, BYTE, COUNT, INTEGERS, LANES, REAL, REALS, Code, instructions
from polyhead.kernels.microkernels.epilogue import Epilogue
from polyhead.kernels.microkernels.registers import ACROSS, PANEL, SUMS, Layout, accumulate, add_fours
from polyhead.kernels.microkernels.row_counts import by_some
from polyhead.kernels.microkernels.simd import NUMBER, EpilogueInput, LeftOperand
from polyhead.kernels.numbers.formats import Numbers
from polyhead.kernels.numbers.stored import stored

FOUR = 4
"""How many numbers one instruction sums over."""
STEP = FOUR * PANEL
"""How many bytes FOUR numbers of each of a panel's columns have."""
WHOLE = range(ACROSS)
"""The numbers of all vectors of a panel."""
ZERO = 128
"""The byte that stands for 0 in the left operand."""
_ZEROS = ir.Constant(ir.VectorType(BYTE, FOUR * LANES), [ZERO] * FOUR * LANES)


class Right(NamedTuple):
    """Where the right operand of a product lies."""

    panels: int
    """The address of its panels."""
    steps: int
    """How many times FOUR numbers each of its columns has."""
    starts: int
    """The address of what each column's accumulators begin with, int32: what ZERO adds to them, subtracted."""
    scales: int
    """The address of each column's scale, float32."""


@kernel
def panel_of(right: Right, column: int) -> Right:
    """The right operand from this column on, with which a panel begins."""
    panel, beside = right.panels + FOUR * right.steps * column, NUMBER * column
    return Right(panel, right.steps, right.starts + beside, right.scales + beside)


class _Int8Operands(NamedTuple):
    """The operands of a product, what its epilogue reads, and where in the array `out` the results go."""

    left: LeftOperand
    scales: int
    right: Right
    inputs: EpilogueInput
    out: Numbers
    to: int
    out_row: int


def product_of_bytes(epilogue: Epilogue, transposed: bool = False) -> Any:
    """The kernel that multiplies rows by a panel, for one epilogue; transposed: whether the left operand is."""
    take = by_some(partial(_rows_of, epilogue, transposed), may_repeat=True)

    @kernel
    def multiply(
        left: LeftOperand, scales: int, rows: int, right: Right, inputs: EpilogueInput, out: Numbers, to: int
    ) -> None:
        """left [rows, 4 · steps], with its rows' scales, times a panel → [rows, PANEL], at the address `to` in out."""
        take(rows, _Int8Operands(left, scales, right, inputs, out, to, out.strides[0]))

    return multiply


def _rows_of(epilogue: Epilogue, transposed: bool, rows: int) -> Any:
    """(the first row, the operands): so many rows of a product, with its epilogue."""

    @instructions(ANY, ANY)
    def multiply_rows(code: Code, first: Any, operands: Any) -> None:
        size, load, store = stored(code.kinds[1][_Int8Operands._fields.index("out")])
        at_once = min(ACROSS, SUMS // rows)
        left, scales, right, inputs, _, to, out_row = code.parts(operands)
        input_place, input_row, factor = code.parts(inputs)
        places = code.apart(input_place, input_row, rows, first), code.apart(to, out_row, rows, first)
        for column in range(0, ACROSS, at_once):
            columns = range(column, column + at_once)
            offsets = [code.long(size * LANES * number) for number in columns]
            found = sums_of_bytes(code, rows, left, scales, right, first, columns, transposed)
            for sums, input_here, here in zip(found, *places, strict=True):
                beside = [load(code, input_here, offset) for offset in offsets]
                for each, offset in zip(epilogue(code, sums, beside, factor), offsets, strict=True):
                    store(code, each, here, offset)

    return multiply_rows


def sums_of_bytes(
    code: Code,
    rows: int,
    left: Any,
    scales: Any,
    right: Any,
    first: Any,
    columns: range = WHOLE,
    transposed: bool = False,
) -> Iterator[list[Any]]:
    """So many rows, from the first on, times a panel → for each row the vectors of these columns, as float32.

    In LLVM: left, a LeftOperand; scales, the address of its rows'; right, a Right.
    """
    builder = code.builder
    (place, row, _), (panel, steps, starts, column_scales) = code.parts(left), code.parts(right)
    places, begun = code.apart(place, row, rows, first), _vectors(code, INTEGERS, starts, columns) * rows
    here = builder.add(panel, code.long(NUMBER * LANES * columns.start))
    layout = Layout(STEP, STEP if transposed else FOUR)
    totals = accumulate(code, places, here, steps, begun, add_fours, layout)
    by_columns, count = _vectors(code, REALS, column_scales, columns), len(columns)
    for number, scale in enumerate(code.apart(scales, code.long(NUMBER), rows, first)):
        by = code.everywhere(code.load(REAL, scale, code.long(0)))
        some = (builder.sitofp(total, REALS) for total in totals[count * number : count * (number + 1)])
        yield [builder.fmul(builder.fmul(total, by), each) for total, each in zip(some, by_columns, strict=True)]


def _vectors(code: Code, kind: Any, place: Any, columns: range = WHOLE) -> list[Any]:
    """The vectors at an address that belong to these columns of a panel."""
    return [code.load(kind, place, code.long(NUMBER * LANES * number)) for number in columns]


@instructions(ADDRESS, COUNT, ADDRESS)
def starts_of(code: Code, panel: Any, steps: Any, out: Any) -> None:
    """(a panel, its steps, out): -ZERO times the sum of each of its columns, which its accumulators begin with."""
    builder = code.builder
    zeros = builder.bitcast(_ZEROS, INTEGERS)

    def step(index: Any, totals: list[Any]) -> list[Any]:
        here = builder.add(panel, builder.mul(index, code.long(STEP)))
        numbers = _vectors(code, INTEGERS, here)
        return [add_fours(code, total, zeros, each) for total, each in zip(totals, numbers, strict=True)]

    nothing = ir.Constant(INTEGERS, [0] * LANES)
    for number, total in enumerate(code.repeat(steps, [nothing] * ACROSS, step)):
        code.store(builder.sub(nothing, total), out, code.long(NUMBER * LANES * number))
