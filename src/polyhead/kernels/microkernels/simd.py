"""Products of float32, some rows times a panel of columns, with all that is added up in registers.

A right factor lies in panels of WIDTH columns, whose rows follow each other. A left factor lies as its rows do, in
blocks of WIDTH numbers that are added up; or it is turned: then as many of its rows as are taken at once lie beside
each other, and their next numbers behind them.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from polyhead.kernels.compiler import intrinsic, typed
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import LANES, REAL, REALS, Code, every
from polyhead.kernels.microkernels.epilogue import Operation
from polyhead.kernels.microkernels.row_counts import by_some

WIDTH = LANES
"""Columns of a panel. What is added up comes in multiples of it."""
NUMBER = 4
"""Bytes."""
LINE = NUMBER * WIDTH
"""Of a panel's row."""


class LeftOperand(NamedTuple):
    """Where a product's left factor is: an address, and how many bytes lie between …"""

    place: int
    row: int
    """… two rows, of a turned factor where they are taken anew,"""
    block: int
    """… and two blocks; of a turned factor it is known."""


class EpilogueInput(NamedTuple):
    """What finished sums depend on: what lies at an address, and a factor."""

    place: int
    row: int
    """Bytes between two rows: of a bias, none."""
    factor: np.float32


@kernel
def unseen(place: int) -> EpilogueInput:
    """Any numbers, at an address that may be read."""
    return EpilogueInput(place, 0, np.float32(1))


@kernel
def filled_up(count: int) -> int:
    """The next multiple of WIDTH."""
    return (count + WIDTH - 1) // WIDTH * WIDTH


class _SimdOperands(NamedTuple):
    """A product, and where it goes."""

    left: LeftOperand
    panel: int
    blocks: int
    seen: EpilogueInput
    out: int
    out_row: int


def product_of(finish: Operation | None, turned: bool = False) -> Any:
    """The kernel of a product with a panel, finished; sums that nothing finishes are added to what is there."""
    take = by_some(partial(_sums, finish, turned), may_repeat=finish is not None and not turned)

    @kernel
    def multiply(
        left: LeftOperand, rows: int, panel: int, steps: int, seen: EpilogueInput, out: int, out_row: int
    ) -> None:
        """left [rows, steps] times a panel [steps, WIDTH] → out [rows, WIDTH]."""
        take(rows, _SimdOperands(left, panel, steps // WIDTH, seen, out, out_row))

    return multiply


def _sums(finish: Operation | None, turned: bool, rows: int) -> Any:
    """(the first row, what is given): so many rows of a product, finished."""

    @intrinsic
    def add_up(typing_context: Any, first: Any, given: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            code, here = Code(builder), Code(builder).long(0)
            first, (*factors, seen, out, out_row) = arguments[0], code.parts(arguments[1])
            seen_at, seen_row, factor = code.parts(seen)
            totals = product(code, rows, turned, factors, first)
            to = code.apart(out, out_row, rows, first)
            if finish is None:
                totals = [
                    builder.fadd(total, code.load(REALS, place, here)) for total, place in zip(totals, to, strict=True)
                ]
            else:
                beside = [code.load(REALS, place, here) for place in code.apart(seen_at, seen_row, rows, first)]
                totals = finish(code, totals, beside, factor)
            for total, place in zip(totals, to, strict=True):
                code.store(total, place, here)
            return context.get_dummy_value()

        return typed("void", first, given), generate

    return add_up


def product(code: Code, rows: int, turned: bool, factors: list[Any], first: Any) -> list[Any]:
    """Rows of a left factor, from the first on, times WIDTH · blocks lines of a panel → for each a vector of sums.

    factors, in LLVM: a Left, the panel's address, and blocks.
    """
    left, panel, blocks = factors
    place, row, block = code.parts(left)
    builder, between, places = code.builder, NUMBER, code.apart(place, row, rows, first)
    if turned:
        between = NUMBER * rows
        places, block = code.apart(places[0], code.long(NUMBER), rows), code.long(between * WIDTH)

    def step(index: Any, totals: list[Any]) -> list[Any]:
        weights, offset = builder.add(panel, builder.mul(index, code.long(LINE * WIDTH))), builder.mul(index, block)
        here = [builder.add(place, offset) for place in places]
        for k in range(WIDTH):
            weight = code.load(REALS, weights, code.long(LINE * k))
            numbers = [code.load(REAL, each, code.long(between * k)) for each in here]
            pairs = zip(numbers, totals, strict=True)
            totals = [code.multiply_add(code.everywhere(number), weight, total) for number, total in pairs]
        return totals

    return code.repeat(blocks, [every(0.0)] * rows, step)
