"""The inner loops of attention: a query times its keys, and values weighed, with all they add up in registers."""

from typing import Any

from polyhead.kernels.compile import intrinsic, ir, types
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGER, LANES, LONG, REAL, REALS, Code


def scores(vectors: int) -> Any:
    """(query, key, a key's bytes, places, count, out): out[j] += query · key[places[j]] over `vectors` vectors.

    query and each key float32, places int32 and out [count] float32. count ≥ 1.
    """

    @intrinsic
    def dots(typing_context: Any, query: Any, key: Any, stride: Any, places: Any, count: Any, out: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            query, key, stride, places, count, out = arguments
            code = Code(builder)
            offsets = [code.long(4 * LANES * vector) for vector in range(vectors)]
            queries = [code.load(REALS, query, offset) for offset in offsets]

            def dot(index: Any, nothing: list[Any]) -> list[Any]:
                at = builder.mul(index, code.long(4))
                here = _row(code, key, stride, places, at)
                total = ir.Constant(REALS, [0.0] * LANES)
                for part, offset in zip(queries, offsets, strict=True):
                    total = code.call("llvm.fma.v16f32", REALS, part, code.load(REALS, here, offset), total)
                before = code.load(REAL, out, at)
                reduce = "llvm.vector.reduce.fadd.v16f32"
                code.store(code.call(reduce, REAL, before, total, fastmath=("reassoc",)), out, at)
                return []

            code.repeat(count, [], dot)
            return context.get_dummy_value()

        return types.void(ADDRESS, ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS), generate

    return dots


def mixture(vectors: int) -> Any:
    """(weights, value, a value's bytes, places, count, out): out = Σ_j weights[j] value[places[j]], `vectors` vectors.

    weights [count], each value and out float32, places int32. count ≥ 1.
    """

    @intrinsic
    def mix(typing_context: Any, weights: Any, value: Any, stride: Any, places: Any, count: Any, out: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            weights, value, stride, places, count, out = arguments
            code = Code(builder)
            offsets = [code.long(4 * LANES * vector) for vector in range(vectors)]

            def add(index: Any, totals: list[Any]) -> list[Any]:
                at = builder.mul(index, code.long(4))
                here = _row(code, value, stride, places, at)
                weight = code.everywhere(code.load(REAL, weights, at))
                return [
                    code.call("llvm.fma.v16f32", REALS, weight, code.load(REALS, here, offset), total)
                    for total, offset in zip(totals, offsets, strict=True)
                ]

            nothing = [ir.Constant(REALS, [0.0] * LANES)] * vectors
            for total, offset in zip(code.repeat(count, nothing, add), offsets, strict=True):
                code.store(total, out, offset)
            return context.get_dummy_value()

        return types.void(ADDRESS, ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS), generate

    return mix


def _row(code: Code, store: Any, stride: Any, places: Any, at: Any) -> Any:
    """The address of the row of a store whose number is at places + at."""
    place = code.builder.sext(code.load(INTEGER, places, at), LONG)
    return code.builder.add(store, code.builder.mul(place, stride))
