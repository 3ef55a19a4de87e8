"""The softmax of a row of float32, and its gradient, in whole vectors."""

from typing import Any

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGER, INTEGERS, LANES, REALS, Code, every, instructions
from polyhead.kernels.numbers.exponential import exponentials

_BYTES = 4 * LANES
_HIDDEN, _NOTHING = every(-1e38), every(0.0)


def _seen(code: Code, index: Any, count: Any) -> Any:
    """Which numbers of a vector are among the first so many of a row."""
    builder = code.builder
    first = code.everywhere(builder.trunc(builder.mul(index, code.long(LANES)), INTEGER))
    places = builder.add(first, ir.Constant(INTEGERS, [*range(LANES)]))
    return builder.icmp_signed("<", places, code.everywhere(builder.trunc(count, INTEGER)))


@instructions(ADDRESS, COUNT, COUNT, "float32")
def softmax_row(code: Code, row: Any, vectors: Any, count: Any, scale: Any) -> None:
    """(row, its vectors, count, scale): in place, the softmax of scale times its first numbers, and zeros behind them.

    vectors and count ≥ 1.
    """
    builder = code.builder
    scales = code.everywhere(scale)

    def place(index: Any) -> Any:
        return builder.mul(index, code.long(_BYTES))

    def scaled(index: Any) -> Any:
        return builder.fmul(code.load(REALS, row, place(index)), scales)

    def larger(index: Any, largest: list[Any]) -> list[Any]:
        return [code.larger(largest[0], builder.select(_seen(code, index, count), scaled(index), _HIDDEN))]

    def likelier(index: Any, total: list[Any]) -> list[Any]:
        power = exponentials(code, builder.fsub(scaled(index), most))
        power = builder.select(_seen(code, index, count), power, _NOTHING)
        code.store(power, row, place(index))
        return [builder.fadd(total[0], power)]

    (largest,) = code.repeat(vectors, [_HIDDEN], larger)
    most = code.everywhere(code.folded(largest, code.larger))
    (total,) = code.repeat(vectors, [_NOTHING], likelier)
    share = builder.fdiv(every(1.0), code.everywhere(code.folded(total, builder.fadd)))
    with code.each(vectors) as index:
        code.store(builder.fmul(code.load(REALS, row, place(index)), share), row, place(index))


@instructions(ADDRESS, ADDRESS, COUNT, "float32")
def differentiate_row(code: Code, gradient: Any, weights: Any, vectors: Any, scale: Any) -> None:
    """(gradient, weights, their vectors, scale): that of the weights becomes, in place, that of what was scaled."""
    builder = code.builder

    def both(index: Any) -> tuple[Any, Any, Any]:
        here = builder.mul(index, code.long(_BYTES))
        return here, code.load(REALS, gradient, here), code.load(REALS, weights, here)

    def along(index: Any, total: list[Any]) -> list[Any]:
        _, of_weight, weight = both(index)
        return [builder.fadd(total[0], builder.fmul(of_weight, weight))]

    scales = code.everywhere(scale)
    (total,) = code.repeat(vectors, [_NOTHING], along)
    mean = code.everywhere(code.folded(total, builder.fadd))
    with code.each(vectors) as index:
        here, of_weight, weight = both(index)
        pulled = builder.fmul(builder.fmul(weight, scales), builder.fsub(of_weight, mean))
        code.store(pulled, gradient, here)
