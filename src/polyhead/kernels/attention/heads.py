"""The inner loops of attention over lists of keys: scores, softmax and weighted sum, with accumulators in registers."""

from typing import Any

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, COUNT, F32, I32, I64, LANES, V16F32, V16I32, Code, instructions, splat
from polyhead.kernels.numbers.exponential import exp_vector

_ZEROS, _MASKED = splat(0.0), splat(float("-inf"))


def scores(vectors: int) -> Any:
    """(query, key, a key's bytes, rows, count, out, add): out[j] = query · key[rows[j]] over `vectors` vectors.

    query and each key float32, rows int32, count ≥ 1. out float32, filled up to whole vectors with -∞; where `add` is
    not 0, the products are added to what is there.
    """

    @instructions(ADDRESS, ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS, COUNT)
    def dots(code: Code, query: Any, key: Any, stride: Any, rows: Any, count: Any, out: Any, add: Any) -> None:
        builder = code.builder
        offsets = [code.i64(4 * LANES * vector) for vector in range(vectors)]
        queries = [code.load(V16F32, query, offset) for offset in offsets]
        lanes = ir.Constant(V16I32, [*range(LANES)])
        with code.loop(builder.udiv(builder.add(count, code.i64(LANES - 1)), code.i64(LANES))) as index:
            first = builder.mul(index, code.i64(LANES))
            left = builder.sub(count, first)
            here, to = (builder.add(address, builder.mul(first, code.i64(4))) for address in (rows, out))
            in_use = builder.icmp_signed("<", lanes, code.broadcast(builder.trunc(left, I32)))
            fresh, there = builder.select(in_use, _ZEROS, _MASKED), code.load(V16F32, to, code.i64(0))

            def dot(number: Any, found: list[Any]) -> list[Any]:
                row = _row_address(code, key, stride, here, builder.mul(number, code.i64(4)))
                total = _ZEROS
                for part, offset in zip(queries, offsets, strict=True):
                    total = code.multiply_add(part, code.load(V16F32, row, offset), total)
                this = builder.icmp_signed("==", lanes, code.broadcast(builder.trunc(number, I32)))
                return [builder.select(this, code.broadcast(code.reduce(total, builder.fadd)), found[0])]

            whole = builder.icmp_signed("<", left, code.i64(LANES))
            (found,) = code.fori_loop(builder.select(whole, left, code.i64(LANES)), [_ZEROS], dot)
            before = builder.select(builder.icmp_signed("==", add, code.i64(0)), fresh, there)
            code.store(builder.fadd(before, found), to, code.i64(0))

    return dots


def weighted_sum(vectors: int) -> Any:
    """(weights, value, a value's bytes, rows, count, out): out = Σ_j weights[j] value[rows[j]], `vectors` vectors.

    weights [count], each value and out float32, rows int32. count ≥ 1.
    """

    @instructions(ADDRESS, ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS)
    def add_values(code: Code, weights: Any, value: Any, stride: Any, rows: Any, count: Any, out: Any) -> None:
        builder = code.builder
        offsets = [code.i64(4 * LANES * vector) for vector in range(vectors)]

        def step(index: Any, totals: list[Any]) -> list[Any]:
            at = builder.mul(index, code.i64(4))
            here = _row_address(code, value, stride, rows, at)
            weight = code.broadcast(code.load(F32, weights, at))
            return [
                code.multiply_add(weight, code.load(V16F32, here, offset), total)
                for total, offset in zip(totals, offsets, strict=True)
            ]

        for total, offset in zip(code.fori_loop(count, [_ZEROS] * vectors, step), offsets, strict=True):
            code.store(total, out, offset)

    return add_values


@instructions(ADDRESS, COUNT)
def softmax(code: Code, scores: Any, vectors: Any) -> None:
    """(scores, vectors): the softmax of `vectors` × LANES numbers float32, in place; -∞ becomes 0. vectors ≥ 1."""
    builder = code.builder

    def offset(index: Any) -> Any:
        return builder.mul(index, code.i64(4 * LANES))

    def step(index: Any, found: list[Any]) -> list[Any]:
        return [code.maximum(code.load(V16F32, scores, offset(index)), found[0])]

    (largest,) = code.fori_loop(vectors, [_MASKED], step)
    shift = code.broadcast(code.reduce(largest, code.maximum))

    def exponentiate(index: Any, total: list[Any]) -> list[Any]:
        power = exp_vector(code, builder.fsub(code.load(V16F32, scores, offset(index)), shift))
        code.store(power, scores, offset(index))
        return [builder.fadd(total[0], power)]

    (totals,) = code.fori_loop(vectors, [_ZEROS], exponentiate)
    share = code.broadcast(builder.fdiv(ir.Constant(F32, 1.0), code.reduce(totals, builder.fadd)))
    with code.loop(vectors) as index:
        code.store(builder.fmul(code.load(V16F32, scores, offset(index)), share), scores, offset(index))


def _row_address(code: Code, keys_values: Any, stride: Any, rows: Any, offset: Any) -> Any:
    """The address of the row of keys_values whose number stands in `rows` at this offset."""
    row = code.builder.sext(code.load(I32, rows, offset), I64)
    return code.builder.add(keys_values, code.builder.mul(row, stride))
