"""Products of float32, some rows times a panel of columns, with all that is added up in registers.

A right factor lies in panels of WIDTH columns, whose rows follow each other. A left factor lies as its rows do, in
blocks of WIDTH numbers that are added up; or it is turned: then as many of its rows as are taken at once lie beside
each other, and their next numbers behind them.
"""

from typing import Any, NamedTuple

import numpy as np

from polyhead.kernels.compiler import intrinsic, typed
from polyhead.kernels.finish import Operation
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, LANES, REAL, REALS, Code, every

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
    six, four, one = (_sums(rows, finish, turned) for rows in (MOST, FEWER, 1))
    may_repeat = finish is not None and not turned

    @kernel
    def multiply(left: Left, rows: int, panel: int, steps: int, seen: Seen, out: int, out_row: int) -> None:
        """left [rows, steps] times a panel [steps, WIDTH] → out [rows, WIDTH]."""
        done, row, block, blocks = 0, left.row, left.block, steps // WIDTH
        while done < rows:
            count = rows_at_once(rows - done)
            if count == 1 and may_repeat and rows >= FEWER:  # some rows once more cost less than single ones
                done, count = rows - FEWER, FEWER
            given, beside, to = left.place + done * row, seen.place + done * seen.row, out + done * out_row
            if count == MOST:
                six(given, row, block, panel, blocks, beside, seen.row, seen.factor, to, out_row)
            elif count == FEWER:
                four(given, row, block, panel, blocks, beside, seen.row, seen.factor, to, out_row)
            else:
                one(given, row, block, panel, blocks, beside, seen.row, seen.factor, to, out_row)
            done += count

    return multiply


def _sums(rows: int, finish: Operation | None, turned: bool) -> Any:
    @intrinsic
    def add_up(
        typing_context: Any,
        left: Any,
        row: Any,
        block: Any,
        panel: Any,
        blocks: Any,
        seen: Any,
        seen_row: Any,
        factor: Any,
        out: Any,
        out_row: Any,
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            left, row, block, panel, blocks, seen, seen_row, factor, out, out_row = arguments
            code, between = Code(builder), NUMBER
            if turned:
                between = NUMBER * rows
                row, block = code.long(NUMBER), code.long(between * WIDTH)
            beside, to = (code.apart(place, bytes_, rows) for place, bytes_ in ((seen, seen_row), (out, out_row)))
            here = code.long(0)
            begun = [every(0.0) if finish else code.load(REALS, place, here) for place in to]
            totals = product(code, code.apart(left, row, rows), between, block, panel, blocks, begun)
            if finish is not None:
                totals = finish(code, totals, [code.load(REALS, place, here) for place in beside], factor)
            for total, place in zip(totals, to, strict=True):
                code.store(total, place, here)
            return context.get_dummy_value()

        kinds = ADDRESS, COUNT, COUNT, ADDRESS, COUNT, ADDRESS, COUNT, "float32", ADDRESS, COUNT
        return typed("void", *kinds), generate

    return add_up


def product(
    code: Code, rows: list[Any], between: int, block: Any, panel: Any, blocks: Any, begun: list[Any]
) -> list[Any]:
    """Rows' addresses times WIDTH · blocks lines of a panel, from `begun` on, a vector for each row → their sums.

    between, block: bytes between two numbers of a row that are added up, and between two blocks of them.
    """
    builder = code.builder

    def step(index: Any, totals: list[Any]) -> list[Any]:
        weights, offset = builder.add(panel, builder.mul(index, code.long(LINE * WIDTH))), builder.mul(index, block)
        here = [builder.add(row, offset) for row in rows]
        for k in range(WIDTH):
            weight = code.load(REALS, weights, code.long(LINE * k))
            factors = [code.everywhere(code.load(REAL, each, code.long(between * k))) for each in here]
            pairs = zip(factors, totals, strict=True)
            totals = [code.call("llvm.fma.v16f32", REALS, factor, weight, total) for factor, total in pairs]
        return totals

    return code.repeat(blocks, begun, step)
