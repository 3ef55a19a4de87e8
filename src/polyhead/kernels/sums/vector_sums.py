"""Products, some rows times a panel of columns, with all that is added up in registers.

Numbers have 32 bits: they are of float32, or pairs of whole numbers that stand for them (`factors.whole_numbers`).

A right factor lies in panels of WIDTH columns, whose rows follow each other. A left factor lies as its rows do, in
blocks of WIDTH numbers that are added up; or it is turned: then as many of its rows as are taken at once lie beside
each other, and their next numbers behind them.
"""

from typing import Any, NamedTuple

import numpy as np

from polyhead.kernels.compiler import intrinsic, typed
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, LANES, REALS, Code
from polyhead.kernels.sums.arithmetic import PAIRS, REAL_NUMBERS, Arithmetic
from polyhead.kernels.sums.finish import Operation

WIDTH = LANES
"""Columns of a panel. What is added up comes in multiples of it."""
NUMBER = 4
"""Bytes."""
LINE = NUMBER * WIDTH
"""Of a panel's row."""
MOST, FEWER = 6, 4
"""Rows that are taken at once, so that their sums and what is added to them fill the registers of AVX2; or one."""


class Left(NamedTuple):
    """Where a product's left factor is: an address, and how many bytes lie between …"""

    place: int
    row: int
    """… two rows, of a turned factor where they are taken anew,"""
    block: int
    """… and two blocks; of a turned factor it is known."""


class Scales(NamedTuple):
    """Where the numbers lie that whole numbers' sums are multiplied by: …"""

    rows: int
    """… for each row one,"""
    columns: int
    """and for each column."""


class Seen(NamedTuple):
    """What finished sums depend on: what lies at an address, and a factor."""

    place: int
    row: int
    """Bytes between two rows: of a bias, none."""
    factor: np.float32


@kernel
def unseen(place: int) -> Seen:
    """Any numbers, at an address that may be read."""
    return Seen(place, 0, np.float32(1))


@kernel
def filled_up(count: int) -> int:
    """The next multiple of WIDTH."""
    return (count + WIDTH - 1) // WIDTH * WIDTH


@kernel
def rows_at_once(left: int) -> int:
    """Of so many: an even number of them, if not two, needs no single ones."""
    if left == MOST or left >= MOST + FEWER:
        return MOST
    return FEWER if left >= FEWER else 1


def product_of(finish: Operation | None, turned: bool = False) -> Any:
    """The kernel of a product with a panel, finished; sums that nothing finishes are added to what is there."""
    scaled = _product(REAL_NUMBERS, finish, turned)

    @kernel
    def multiply(left: Left, rows: int, panel: int, steps: int, seen: Seen, out: int, out_row: int) -> None:
        """left [rows, steps] times a panel [steps, WIDTH] → out [rows, WIDTH]."""
        scaled(left, rows, panel, steps, Scales(panel, panel), seen, out, out_row)

    return multiply


def product_of_pairs(finish: Operation | None) -> Any:
    """The same of pairs, of a turned left factor: (left, rows, panel, steps, scales, seen, out, out_row)."""
    return _product(PAIRS, finish, turned=True)


def _product(arithmetic: Arithmetic, finish: Operation | None, turned: bool) -> Any:
    six, four, one = (_sums(rows, arithmetic, finish, turned) for rows in (MOST, FEWER, 1))
    may_repeat = finish is not None and not turned

    @kernel
    def multiply(
        left: Left, rows: int, panel: int, steps: int, scales: Scales, seen: Seen, out: int, out_row: int
    ) -> None:
        done, row, block, blocks, columns = 0, left.row, left.block, steps // WIDTH, scales.columns
        while done < rows:
            count = rows_at_once(rows - done)
            if count == 1 and may_repeat and rows >= FEWER:  # some rows once more cost less than single ones
                done, count = rows - FEWER, FEWER
            given, beside, to = left.place + done * row, seen.place + done * seen.row, out + done * out_row
            scale = scales.rows + NUMBER * done
            if count == MOST:
                six(given, row, block, panel, blocks, scale, columns, beside, seen.row, seen.factor, to, out_row)
            elif count == FEWER:
                four(given, row, block, panel, blocks, scale, columns, beside, seen.row, seen.factor, to, out_row)
            else:
                one(given, row, block, panel, blocks, scale, columns, beside, seen.row, seen.factor, to, out_row)
            done += count

    return multiply


def _sums(rows: int, arithmetic: Arithmetic, finish: Operation | None, turned: bool) -> Any:
    @intrinsic
    def add_up(
        typing_context: Any,
        left: Any,
        row: Any,
        block: Any,
        panel: Any,
        blocks: Any,
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
            beside, to = (code.apart(place, bytes_, rows) for place, bytes_ in ((seen, seen_row), (out, out_row)))
            here = code.long(0)
            totals = product(code, arithmetic, rows, turned, factors)
            if finish is None:
                totals = [
                    builder.fadd(total, code.load(REALS, place, here)) for total, place in zip(totals, to, strict=True)
                ]
            else:
                totals = finish(code, totals, [code.load(REALS, place, here) for place in beside], factor)
            for total, place in zip(totals, to, strict=True):
                code.store(total, place, here)
            return context.get_dummy_value()

        kinds = ADDRESS, COUNT, COUNT, ADDRESS, COUNT, ADDRESS, ADDRESS, ADDRESS, COUNT, "float32", ADDRESS, COUNT
        return typed("void", *kinds), generate

    return add_up


def product(code: Code, arithmetic: Arithmetic, rows: int, turned: bool, factors: list[Any]) -> list[Any]:
    """So many rows of a left factor times WIDTH · blocks lines of a panel → for each row a vector of sums.

    factors: the left one's address, bytes to its next row and block; the panel's address, blocks; the addresses of the
    scales of rows and columns.
    """
    left, row, block, panel, blocks, row_scales, column_scales = factors
    builder, between = code.builder, NUMBER
    if turned:
        between = NUMBER * rows
        row, block = code.long(NUMBER), code.long(between * WIDTH)
    places = code.apart(left, row, rows)

    def step(index: Any, totals: list[Any]) -> list[Any]:
        weights, offset = builder.add(panel, builder.mul(index, code.long(LINE * WIDTH))), builder.mul(index, block)
        here = [builder.add(place, offset) for place in places]
        for k in range(WIDTH):
            weight = code.load(arithmetic.vector, weights, code.long(LINE * k))
            numbers = [code.load(arithmetic.number, each, code.long(between * k)) for each in here]
            pairs = zip(numbers, totals, strict=True)
            totals = [arithmetic.add(code, code.everywhere(number), weight, total) for number, total in pairs]
        return totals

    totals = code.repeat(blocks, [arithmetic.nothing] * rows, step)
    scales = code.apart(row_scales, code.long(NUMBER), rows)
    return [arithmetic.real(code, total, scale, column_scales) for total, scale in zip(totals, scales, strict=True)]
