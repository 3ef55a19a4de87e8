"""The microkernel of training's float32: some rows of the left operand times a panel of the right one.

The right operand lies in panels of WIDTH columns: one vector for every number that is summed over. The left operand
lies in rows, which are read in blocks of WIDTH numbers; or it is transposed: then as many of its rows as are taken at
once lie beside each other, first their first numbers, then their second ones, and so on.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ANY, LANES, REALS, Code, every, instructions
from polyhead.kernels.microkernels.epilogue import Epilogue
from polyhead.kernels.microkernels.registers import Layout, accumulate, add_product
from polyhead.kernels.microkernels.row_counts import by_some

WIDTH = LANES
"""How many columns a panel has. How many numbers are summed over is a multiple of it."""
NUMBER = 4
"""How many bytes a float32 has."""
LINE = NUMBER * WIDTH
"""How many bytes a row of a panel has."""


class LeftOperand(NamedTuple):
    """Where the left operand of a product lies."""

    place: int
    """The address of its first number."""
    row: int
    """Bytes between two rows; of a transposed operand, between the rows that are taken together, for each of them."""
    block: int
    """Bytes between two blocks of WIDTH numbers; of a transposed operand this is known, and not read."""


class EpilogueInput(NamedTuple):
    """What an epilogue reads beside the sums."""

    place: int
    """The address of a matrix, or of a bias."""
    row: int
    """Bytes between two rows; 0 for a bias, which is every row's."""
    factor: np.float32
    """What the gate multiplies by."""


@kernel
def no_input(place: int) -> EpilogueInput:
    """The input of an epilogue that uses none: an address that may be read."""
    return EpilogueInput(place, 0, np.float32(1))


@kernel
def filled_up(count: int) -> int:
    """The next multiple of WIDTH."""
    return (count + WIDTH - 1) // WIDTH * WIDTH


class _SimdOperands(NamedTuple):
    """The operands of a product, what its epilogue reads, and where the results go."""

    left: LeftOperand
    panel: int
    blocks: int
    inputs: EpilogueInput
    out: int
    out_row: int


def product_of(epilogue: Epilogue | None, transposed: bool = False) -> Any:
    """The kernel that multiplies rows by a panel, for one epilogue; without one, sums are added to what `out` holds.

    transposed: whether the left operand is
    """
    take = by_some(partial(_rows_of, epilogue, transposed), may_repeat=epilogue is not None and not transposed)

    @kernel
    def multiply(
        left: LeftOperand, rows: int, panel: int, steps: int, inputs: EpilogueInput, out: int, out_row: int
    ) -> None:
        """left [rows, steps] times panel [steps, WIDTH] → out [rows, WIDTH], of whose rows `out_row` are the bytes."""
        take(rows, _SimdOperands(left, panel, steps // WIDTH, inputs, out, out_row))

    return multiply


def _rows_of(epilogue: Epilogue | None, transposed: bool, rows: int) -> Any:
    """(the first row, the operands): so many rows of a product, with its epilogue."""

    @instructions(ANY, ANY)
    def multiply_rows(code: Code, first: Any, operands: Any) -> None:
        builder = code.builder
        code, here = Code(builder), Code(builder).long(0)
        left, panel, blocks, inputs, out, out_row = code.parts(operands)
        input_place, input_row, factor = code.parts(inputs)
        sums = product(code, rows, transposed, left, panel, blocks, first)
        to = code.apart(out, out_row, rows, first)
        if epilogue is None:
            sums = [builder.fadd(each, code.load(REALS, place, here)) for each, place in zip(sums, to, strict=True)]
        else:
            beside = [code.load(REALS, place, here) for place in code.apart(input_place, input_row, rows, first)]
            sums = epilogue(code, sums, beside, factor)
        for each, place in zip(sums, to, strict=True):
            code.store(each, place, here)

    return multiply_rows


def product(code: Code, rows: int, transposed: bool, left: Any, panel: Any, blocks: Any, first: Any) -> list[Any]:
    """So many rows of the left operand, from the first on, times a panel → a vector of sums for each row.

    In LLVM: left, a LeftOperand; panel [WIDTH · blocks, WIDTH], its address.
    """
    place, row, block = code.parts(left)
    places, between = code.apart(place, row, rows, first), NUMBER
    if transposed:
        between = NUMBER * rows
        places, block = code.apart(places[0], code.long(NUMBER), rows), code.long(between * WIDTH)
    layout = Layout(LINE, between, WIDTH, block)
    return accumulate(code, places, panel, blocks, [every(0.0)] * rows, add_product, layout)
