"""The microkernel of training's 8-bit integers: some rows of the left operand times a panel of the right one.

Results are bfloat16 or float32. The right operand lies in panels of PANEL columns, four numbers of a column, which are
summed over, beside each other: signed bytes. The left operand's bytes have ZERO_POINT added and are unsigned, as the
instructions want them; accumulators begin with the compensation of that. The left operand lies in rows; or it is
transposed: then it lies in panels like the right operand's, and its rows are their columns.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from polyhead.hardware import VNNI, cpu_features
from polyhead.kernels.compiler import ir
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, ANY, COUNT, F32, I8, LANES, V16F32, V16I32, Code, instructions
from polyhead.kernels.microkernels.epilogue import Epilogue
from polyhead.kernels.microkernels.registers import (
    PANEL,
    PANEL_VECTORS,
    Layout,
    accumulate,
    add_int8_dot,
    columns_at_once,
)
from polyhead.kernels.microkernels.row_counts import for_all_rows
from polyhead.kernels.microkernels.simd import FLOAT_BYTES, EpilogueInput, LeftOperand
from polyhead.kernels.numbers.formats import Numbers
from polyhead.kernels.numbers.vector_formats import format_of

FOUR = 4
"""How many numbers one instruction sums over."""
STEP = FOUR * PANEL
"""How many bytes FOUR numbers of each of a panel's columns have."""
ALL_VECTORS = range(PANEL_VECTORS)
"""The numbers of all vectors of a panel."""
LARGEST_INT8, ZERO_POINT = (127, 128) if VNNI & cpu_features() else (90, 90)
"""The largest magnitude of both operands' integers, and the byte that stands for 0 in the left operand. Without VNNI
two products are first added in 16 bits with a sign, which hold 2 · (90 + 90) · 90."""
_ZERO_POINTS = ir.Constant(ir.VectorType(I8, FOUR * LANES), [ZERO_POINT] * FOUR * LANES)


class Int8RightOperand(NamedTuple):
    """Where the right operand of a product lies."""

    panels: int
    """The address of its panels."""
    steps: int
    """How many times FOUR numbers each of its columns has."""
    compensation: int
    """The address of each column's compensation, int32: what ZERO_POINT adds to its sum, with the other sign."""
    scales: int
    """The address of each column's scale, float32."""


@kernel
def panel_of(right: Int8RightOperand, column: int) -> Int8RightOperand:
    """The right operand from this column on, with which a panel begins."""
    panel, offset = right.panels + FOUR * right.steps * column, FLOAT_BYTES * column
    return Int8RightOperand(panel, right.steps, right.compensation + offset, right.scales + offset)


class _Int8Operands(NamedTuple):
    """The operands of a product, what its epilogue reads, and where in the array `out` the results go."""

    left: LeftOperand
    scales: int
    right: Int8RightOperand
    inputs: EpilogueInput
    out: Numbers
    address: int
    out_stride: int


def product_of(epilogue: Epilogue, transposed: bool = False) -> Any:
    """The kernel that multiplies rows by a panel, for one epilogue; transposed: whether the left operand is."""
    take = for_all_rows(partial(_rows_of, epilogue, transposed), may_repeat=True)

    @kernel
    def multiply(
        left: LeftOperand,
        scales: int,
        rows: int,
        right: Int8RightOperand,
        inputs: EpilogueInput,
        out: Numbers,
        address: int,
    ) -> None:
        """left [rows, 4 · steps], with its rows' scales, times a panel → [rows, PANEL], at an address within out."""
        take(rows, _Int8Operands(left, scales, right, inputs, out, address, out.strides[0]))

    return multiply


def _rows_of(epilogue: Epilogue, transposed: bool, rows: int) -> Any:
    """(the first row, the operands): so many rows of a product, with its epilogue."""

    @instructions(ANY, ANY)
    def multiply_rows(code: Code, first: Any, operands: Any) -> None:
        size, load, store = format_of(code.kinds[1][_Int8Operands._fields.index("out")])
        at_once = columns_at_once(rows)
        left, scales, right, inputs, _, address, out_stride = code.unpack(operands)
        input_address, input_stride, factor = code.unpack(inputs)
        read = code.addresses(input_address, input_stride, rows, first)
        written = code.addresses(address, out_stride, rows, first)
        for column in range(0, PANEL_VECTORS, at_once):
            columns = range(column, column + at_once)
            offsets = [code.i64(size * LANES * number) for number in columns]
            found = scaled_sums(code, rows, left, scales, right, first, columns, transposed)
            for sums, input_here, here in zip(found, read, written, strict=True):
                given = [load(code, input_here, offset) for offset in offsets]
                for each, offset in zip(epilogue(code, sums, given, factor), offsets, strict=True):
                    store(code, each, here, offset)

    return multiply_rows


def scaled_sums(
    code: Code,
    rows: int,
    left: Any,
    scales: Any,
    right: Any,
    first: Any,
    columns: range = ALL_VECTORS,
    transposed: bool = False,
) -> Iterator[list[Any]]:
    """`rows` rows of `left`, from number `first` on, times a panel → each row's vectors of these columns, as float32.

    In LLVM: left, a LeftOperand; scales, the address of its rows' scales; right, an Int8RightOperand.
    """
    builder = code.builder
    (address, stride, _), (panel, steps, compensation, column_scales) = code.unpack(left), code.unpack(right)
    addresses = code.addresses(address, stride, rows, first)
    initial = _vectors(code, V16I32, compensation, columns) * rows
    here = builder.add(panel, code.i64(FLOAT_BYTES * LANES * columns.start))
    layout = Layout(STEP, STEP if transposed else FOUR)
    totals = accumulate(code, addresses, here, steps, initial, add_int8_dot, layout)
    by_columns, count = _vectors(code, V16F32, column_scales, columns), len(columns)
    for number, scale in enumerate(code.addresses(scales, code.i64(FLOAT_BYTES), rows, first)):
        by = code.broadcast(code.load(F32, scale, code.i64(0)))
        some = (builder.sitofp(total, V16F32) for total in totals[count * number : count * (number + 1)])
        yield [builder.fmul(builder.fmul(total, by), each) for total, each in zip(some, by_columns, strict=True)]


def _vectors(code: Code, kind: Any, address: Any, columns: range = ALL_VECTORS) -> list[Any]:
    """The vectors at an address that belong to these columns of a panel."""
    return [code.load(kind, address, code.i64(FLOAT_BYTES * LANES * number)) for number in columns]


@instructions(ADDRESS, COUNT, ADDRESS)
def write_compensation(code: Code, panel: Any, steps: Any, out: Any) -> None:
    """(a panel, its steps, out): the compensation of each of its columns, -ZERO_POINT times the sum of the column."""
    builder = code.builder
    zeros = builder.bitcast(_ZERO_POINTS, V16I32)

    def step(index: Any, totals: list[Any]) -> list[Any]:
        here = builder.add(panel, builder.mul(index, code.i64(STEP)))
        numbers = _vectors(code, V16I32, here)
        return [add_int8_dot(code, total, zeros, each) for total, each in zip(totals, numbers, strict=True)]

    nothing = ir.Constant(V16I32, [0] * LANES)
    for number, total in enumerate(code.fori_loop(steps, [nothing] * PANEL_VECTORS, step)):
        code.store(builder.sub(nothing, total), out, code.i64(FLOAT_BYTES * LANES * number))
