"""The softmax of a row of float32, and its gradient, in whole vectors."""

from typing import Any

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, COUNT, I32, LANES, V16F32, V16I32, Code, instructions, splat
from polyhead.kernels.numbers.exponential import exp_vector
from polyhead.kernels.numbers.vector_formats import VECTOR_BYTES

_MASKED, _ZEROS = splat(-1e38), splat(0.0)


def _is_visible(code: Code, index: Any, count: Any) -> Any:
    """The mask of a vector's numbers that are among the first `count` of a row."""
    builder = code.builder
    first = code.broadcast(builder.trunc(builder.mul(index, code.i64(LANES)), I32))
    columns = builder.add(first, ir.Constant(V16I32, [*range(LANES)]))
    return builder.icmp_signed("<", columns, code.broadcast(builder.trunc(count, I32)))


@instructions(ADDRESS, COUNT, COUNT, "float32")
def softmax_row(code: Code, row: Any, vectors: Any, count: Any, scale: Any) -> None:
    """(row, its vectors, count, scale): in place, the softmax of scale times its first numbers, and zeros behind them.

    vectors and count ≥ 1.
    """
    builder = code.builder
    scales = code.broadcast(scale)

    def offset(index: Any) -> Any:
        return builder.mul(index, code.i64(VECTOR_BYTES))

    def scaled(index: Any) -> Any:
        return builder.fmul(code.load(V16F32, row, offset(index)), scales)

    def step(index: Any, largest: list[Any]) -> list[Any]:
        return [code.maximum(largest[0], builder.select(_is_visible(code, index, count), scaled(index), _MASKED))]

    def exponentiate(index: Any, total: list[Any]) -> list[Any]:
        power = exp_vector(code, builder.fsub(scaled(index), most))
        power = builder.select(_is_visible(code, index, count), power, _ZEROS)
        code.store(power, row, offset(index))
        return [builder.fadd(total[0], power)]

    (largest,) = code.fori_loop(vectors, [_MASKED], step)
    most = code.broadcast(code.reduce(largest, code.maximum))
    (total,) = code.fori_loop(vectors, [_ZEROS], exponentiate)
    share = builder.fdiv(splat(1.0), code.broadcast(code.reduce(total, builder.fadd)))
    with code.loop(vectors) as index:
        code.store(builder.fmul(code.load(V16F32, row, offset(index)), share), row, offset(index))


@instructions(ADDRESS, ADDRESS, COUNT, "float32")
def softmax_row_backward(code: Code, gradient: Any, weights: Any, vectors: Any, scale: Any) -> None:
    """(gradient, weights, vectors, scale): the gradient of the weights becomes, in place, that of the scores."""
    builder = code.builder

    def both(index: Any) -> tuple[Any, Any, Any]:
        here = builder.mul(index, code.i64(VECTOR_BYTES))
        return here, code.load(V16F32, gradient, here), code.load(V16F32, weights, here)

    def dot(index: Any, total: list[Any]) -> list[Any]:
        _, of_weight, weight = both(index)
        return [builder.fadd(total[0], builder.fmul(of_weight, weight))]

    scales = code.broadcast(scale)
    (total,) = code.fori_loop(vectors, [_ZEROS], dot)
    mean = code.broadcast(code.reduce(total, builder.fadd))
    with code.loop(vectors) as index:
        here, of_weight, weight = both(index)
        d_score = builder.fmul(builder.fmul(weight, scales), builder.fsub(of_weight, mean))
        code.store(d_score, gradient, here)
