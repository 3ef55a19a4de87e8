"""The microkernel of training's float32: some rows of the left operand times a panel of the right one.

The right operand lies in panels of WIDTH columns: one vector for every number that is summed over. The left operand
lies in rows, which are read in blocks of WIDTH numbers; or it is transposed: then as many of its rows as are taken at
once lie beside each other, first their first numbers, then their second ones, and so on.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ANY, LANES, V16F32, Code, instructions, splat
from polyhead.kernels.microkernels.epilogue import Epilogue
from polyhead.kernels.microkernels.registers import Layout, accumulate, add_float32_product
from polyhead.kernels.microkernels.row_counts import for_all_rows
from polyhead.kernels.numbers.vector_formats import VECTOR_BYTES

WIDTH = LANES
"""How many columns a panel has. How many numbers are summed over is a multiple of it."""
FLOAT_BYTES = 4
"""How many bytes a float32 has."""


class LeftOperand(NamedTuple):
    """Where the left operand of a product lies."""

    address: int
    """The address of its first number."""
    stride: int
    """Bytes between two rows; of a transposed operand, between the rows that are taken together, for each of them."""
    block_stride: int
    """Bytes between two blocks of WIDTH numbers; of a transposed operand this is known, and not read."""


class EpilogueInput(NamedTuple):
    """What an epilogue reads beside the sums."""

    address: int
    """The address of a matrix, or of a bias."""
    stride: int
    """Bytes between two rows; 0 for a bias, which is every row's."""
    factor: np.float32
    """What the gate multiplies by."""


@kernel
def no_input(address: int) -> EpilogueInput:
    """The input of an epilogue that uses none: an address that may be read."""
    return EpilogueInput(address, 0, np.float32(1))


@kernel
def round_up(count: int) -> int:
    """The next multiple of WIDTH."""
    return (count + WIDTH - 1) // WIDTH * WIDTH


class _SimdOperands(NamedTuple):
    """The operands of a product, what its epilogue reads, and where the results go."""

    left: LeftOperand
    panel: int
    blocks: int
    inputs: EpilogueInput
    out: int
    out_stride: int


def product_of(epilogue: Epilogue | None, transposed: bool = False) -> Any:
    """The kernel that multiplies rows by a panel, for one epilogue; without one, sums are added to what `out` holds.

    transposed: whether the left operand is
    """
    take = for_all_rows(partial(_rows_of, epilogue, transposed), may_repeat=epilogue is not None and not transposed)

    @kernel
    def multiply(
        left: LeftOperand, rows: int, panel: int, steps: int, inputs: EpilogueInput, out: int, out_stride: int
    ) -> None:
        """left [rows, steps] times panel [steps, WIDTH] → out [rows, WIDTH], with `out_stride` bytes between rows."""
        take(rows, _SimdOperands(left, panel, steps // WIDTH, inputs, out, out_stride))

    return multiply


def _rows_of(epilogue: Epilogue | None, transposed: bool, rows: int) -> Any:
    """(the first row, the operands): so many rows of a product, with its epilogue."""

    @instructions(ANY, ANY)
    def multiply_rows(code: Code, first: Any, operands: Any) -> None:
        builder = code.builder
        code, here = Code(builder), Code(builder).i64(0)
        left, panel, blocks, inputs, out, out_stride = code.unpack(operands)
        input_address, input_stride, factor = code.unpack(inputs)
        sums = product(code, rows, transposed, left, panel, blocks, first)
        to = code.addresses(out, out_stride, rows, first)
        if epilogue is None:
            before = [code.load(V16F32, address, here) for address in to]
            sums = [builder.fadd(each, earlier) for each, earlier in zip(sums, before, strict=True)]
        else:
            read = code.addresses(input_address, input_stride, rows, first)
            sums = epilogue(code, sums, [code.load(V16F32, address, here) for address in read], factor)
        for each, address in zip(sums, to, strict=True):
            code.store(each, address, here)

    return multiply_rows


def product(code: Code, rows: int, transposed: bool, left: Any, panel: Any, blocks: Any, first: Any) -> list[Any]:
    """`rows` rows of the left operand, from number `first` on, times a panel → a vector of sums for each row.

    In LLVM: left, a LeftOperand; panel [WIDTH · blocks, WIDTH], its address.
    """
    address, stride, block_stride = code.unpack(left)
    addresses, left_stride = code.addresses(address, stride, rows, first), FLOAT_BYTES
    if transposed:
        left_stride = FLOAT_BYTES * rows
        addresses = code.addresses(addresses[0], code.i64(FLOAT_BYTES), rows)
        block_stride = code.i64(left_stride * WIDTH)
    layout = Layout(VECTOR_BYTES, left_stride, WIDTH, block_stride)
    return accumulate(code, addresses, panel, blocks, [splat(0.0)] * rows, add_float32_product, layout)
