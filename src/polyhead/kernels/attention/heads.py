"""The inner loops of attention: a query times its keys, and values weighed, with all they add up in registers."""

from typing import Any

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGER, INTEGERS, LANES, LONG, REAL, REALS, Code, every, instructions
from polyhead.kernels.numbers.exponential import exponentials

_NOTHING, _HIDDEN = every(0.0), every(float("-inf"))


def scores(vectors: int) -> Any:
    """(query, key, a key's bytes, places, count, out, begun): out[j] = query · key[places[j]] over `vectors` vectors.

    query and each key float32, places int32, count ≥ 1. out float32, filled up to whole vectors with -∞; where `begun`
    is not 0, the products are added to what is there.
    """

    @instructions(ADDRESS, ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS, COUNT)
    def dots(code: Code, query: Any, key: Any, stride: Any, places: Any, count: Any, out: Any, begun: Any) -> None:
        builder = code.builder
        offsets = [code.long(4 * LANES * vector) for vector in range(vectors)]
        queries = [code.load(REALS, query, offset) for offset in offsets]
        lanes = ir.Constant(INTEGERS, [*range(LANES)])
        with code.each(builder.udiv(builder.add(count, code.long(LANES - 1)), code.long(LANES))) as index:
            first = builder.mul(index, code.long(LANES))
            left = builder.sub(count, first)
            here, to = (builder.add(address, builder.mul(first, code.long(4))) for address in (places, out))
            in_use = builder.icmp_signed("<", lanes, code.everywhere(builder.trunc(left, INTEGER)))
            fresh, there = builder.select(in_use, _NOTHING, _HIDDEN), code.load(REALS, to, code.long(0))

            def dot(number: Any, found: list[Any]) -> list[Any]:
                row = _row(code, key, stride, here, builder.mul(number, code.long(4)))
                total = _NOTHING
                for part, offset in zip(queries, offsets, strict=True):
                    total = code.multiply_add(part, code.load(REALS, row, offset), total)
                this = builder.icmp_signed("==", lanes, code.everywhere(builder.trunc(number, INTEGER)))
                return [builder.select(this, code.everywhere(code.folded(total, builder.fadd)), found[0])]

            whole = builder.icmp_signed("<", left, code.long(LANES))
            (found,) = code.repeat(builder.select(whole, left, code.long(LANES)), [_NOTHING], dot)
            before = builder.select(builder.icmp_signed("==", begun, code.long(0)), fresh, there)
            code.store(builder.fadd(before, found), to, code.long(0))

    return dots


def mixture(vectors: int) -> Any:
    """(weights, value, a value's bytes, places, count, out): out = Σ_j weights[j] value[places[j]], `vectors` vectors.

    weights [count], each value and out float32, places int32. count ≥ 1.
    """

    @instructions(ADDRESS, ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS)
    def mix(code: Code, weights: Any, value: Any, stride: Any, places: Any, count: Any, out: Any) -> None:
        builder = code.builder
        offsets = [code.long(4 * LANES * vector) for vector in range(vectors)]

        def add(index: Any, totals: list[Any]) -> list[Any]:
            at = builder.mul(index, code.long(4))
            here = _row(code, value, stride, places, at)
            weight = code.everywhere(code.load(REAL, weights, at))
            return [
                code.multiply_add(weight, code.load(REALS, here, offset), total)
                for total, offset in zip(totals, offsets, strict=True)
            ]

        for total, offset in zip(code.repeat(count, [_NOTHING] * vectors, add), offsets, strict=True):
            code.store(total, out, offset)

    return mix


@instructions(ADDRESS, COUNT)
def softmax(code: Code, scores: Any, vectors: Any) -> None:
    """(scores, vectors): Σ e^x of `vectors` × LANES numbers float32 x becomes 1, vectors ≥ 1; of -∞ comes 0."""
    builder = code.builder

    def place(index: Any) -> Any:
        return builder.mul(index, code.long(4 * LANES))

    def compare(index: Any, found: list[Any]) -> list[Any]:
        return [code.larger(code.load(REALS, scores, place(index)), found[0])]

    (largest,) = code.repeat(vectors, [_HIDDEN], compare)
    shift = code.everywhere(code.folded(largest, code.larger))

    def raise_(index: Any, total: list[Any]) -> list[Any]:
        power = exponentials(code, builder.fsub(code.load(REALS, scores, place(index)), shift))
        code.store(power, scores, place(index))
        return [builder.fadd(total[0], power)]

    (totals,) = code.repeat(vectors, [_NOTHING], raise_)
    share = code.everywhere(builder.fdiv(ir.Constant(REAL, 1.0), code.folded(totals, builder.fadd)))
    with code.each(vectors) as index:
        code.store(builder.fmul(code.load(REALS, scores, place(index)), share), scores, place(index))


def _row(code: Code, store: Any, stride: Any, places: Any, at: Any) -> Any:
    """The address of the row of a store whose number is at places + at."""
    place = code.builder.sext(code.load(INTEGER, places, at), LONG)
    return code.builder.add(store, code.builder.mul(place, stride))
