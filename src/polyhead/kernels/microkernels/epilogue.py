"""What is done with a product's sums before they are written.

Those of bfloat16 in tiles come a row of 32 at a time: even columns, then odd ones.
"""

from collections.abc import Callable
from typing import Any

from polyhead.kernels.compiler import intrinsic, typed
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGERS, REALS, Code, every
from polyhead.kernels.microkernels.amx import BYTES, ROWS
from polyhead.kernels.numbers.bfloat16 import pairs_of, parts_of

BLOCK = 2 * ROWS
"""Rows and columns of sums that are added up at once; numbers that a product of tiles adds up."""
ROW = 2 * BYTES
"""Bytes of a row of sums."""
_NOTHING = every(0.0)

Finish = Callable[[Code, list[Any], Any, Any, Any], None]
"""(a row's sums, where what is seen beside them is, a factor, where it goes): writes it."""
Operation = Callable[[Code, list[Any], list[Any], Any], list[Any]]
"""Sums, numbers seen beside them and a factor → what is written."""


def rounded(operation: Operation) -> Finish:
    """Written as bfloat16."""

    def finish(code: Code, sums: list[Any], seen: Any, factor: Any, out: Any) -> None:
        here = code.long(0)
        others = list(parts_of(code, code.load(INTEGERS, seen, here)))
        code.store(pairs_of(code, *operation(code, sums, others, factor)), out, here)

    return finish


def as_they_are(code: Code, sums: list[Any], seen: list[Any], factor: Any) -> list[Any]:
    return sums


def added(code: Code, sums: list[Any], seen: list[Any], factor: Any) -> list[Any]:
    """Plus a bias."""
    return [code.builder.fadd(*both) for both in zip(sums, seen, strict=True)]


def activated(code: Code, sums: list[Any], seen: list[Any], factor: Any) -> list[Any]:
    """Then ReLU."""
    return [code.larger(each, _NOTHING) for each in added(code, sums, seen, factor)]


def gated(code: Code, sums: list[Any], seen: list[Any], factor: Any) -> list[Any]:
    """Scaled where what a ReLU let pass is seen, else 0."""
    builder, factors = code.builder, code.everywhere(factor)
    passed = [builder.fcmp_unordered("!=", each, _NOTHING) for each in seen]
    return [builder.select(yes, builder.fmul(each, factors), _NOTHING) for yes, each in zip(passed, sums, strict=True)]


plain = rounded(as_they_are)


def finish_row(
    code: Code, finish: Finish, index: Any, sums: Any, seen: Any, seen_row: Any, factor: Any, out: Any, out_row: Any
) -> None:
    """A row of a block finished."""
    builder = code.builder
    here = builder.add(sums, builder.mul(index, code.long(ROW)))
    found = [code.load(REALS, here, code.long(half)) for half in (0, BYTES)]
    beside = builder.add(seen, builder.mul(index, seen_row))
    finish(code, found, beside, factor, builder.add(out, builder.mul(index, out_row)))


def rows_finished(finish: Finish) -> Any:
    """(sums, seen, its row's bytes, factor, out, its row's bytes): a block finished."""

    @intrinsic
    def finish_all(
        typing_context: Any, sums: Any, seen: Any, seen_row: Any, factor: Any, out: Any, out_row: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            code = Code(builder)

            def one(index: Any, nothing: list[Any]) -> list[Any]:
                finish_row(code, finish, index, *arguments)
                return nothing

            code.repeat(code.long(BLOCK), [], one)
            return context.get_dummy_value()

        return typed("void", ADDRESS, ADDRESS, COUNT, "float32", ADDRESS, COUNT), generate

    return finish_all
