"""The largest and the smallest of many numbers, in whole registers: no compiler makes vectors of a loop over `max`."""

from functools import partial
from typing import Any

from polyhead.kernels.compiler import cgutils, ir
from polyhead.kernels.llvm import ADDRESS, COUNT, F32, LANES, V16F32, Code, instructions, splat

VECTORS = 4
"""How many vectors are compared at once, as one comparison takes longer than the next needs to begin."""
BLOCK = VECTORS * LANES
_IDENTITY = {">": splat(float("-inf")), "<": splat(float("inf"))}


@instructions(ADDRESS, COUNT, result="float32")
def maximum(code: Code, x: Any, blocks: Any) -> Any:
    """(x, blocks) → the largest of `blocks` × BLOCK numbers float32; blocks ≥ 1."""

    def step(index: Any, found: list[Any]) -> list[Any]:
        values = _block(code, x, index)
        return [_select(code, ">", value, before) for value, before in zip(values, found, strict=True)]

    return _reduce(code, ">", code.fori_loop(blocks, [_IDENTITY[">"]] * VECTORS, step))


@instructions(ADDRESS, COUNT, result=("float32", "float32"))
def min_max(code: Code, x: Any, blocks: Any) -> Any:
    """(x, blocks) → the smallest and the largest of `blocks` × BLOCK numbers float32; blocks ≥ 1."""
    builder = code.builder
    orders = ("<", ">")

    def step(index: Any, found: list[Any]) -> list[Any]:
        values = _block(code, x, index)
        both = [(order, value) for order in orders for value in values]
        return [_select(code, *each, before) for each, before in zip(both, found, strict=True)]

    found = code.fori_loop(blocks, [_IDENTITY[order] for order in orders for _ in range(VECTORS)], step)
    low, high = found[:VECTORS], found[VECTORS:]
    return cgutils.pack_array(builder, [_reduce(code, "<", low), _reduce(code, ">", high)])


@instructions(ADDRESS, COUNT, ADDRESS, result="float32")
def block_maxima(code: Code, x: Any, blocks: Any, out: Any) -> Any:
    """(x, blocks, out) → the largest of `blocks` × BLOCK numbers float32; the largest of each BLOCK → out [blocks]."""
    builder = code.builder

    def step(index: Any, found: list[Any]) -> list[Any]:
        peak = _reduce(code, ">", _block(code, x, index))
        code.store(peak, out, builder.mul(index, code.i64(4)))
        return [_select(code, ">", peak, found[0])]

    return code.fori_loop(blocks, [ir.Constant(F32, float("-inf"))], step)[0]


def _block(code: Code, x: Any, index: Any) -> list[Any]:
    """The vectors of the block of this index."""
    here = code.builder.add(x, code.builder.mul(index, code.i64(4 * BLOCK)))
    return [code.load(V16F32, here, code.i64(4 * LANES * vector)) for vector in range(VECTORS)]


def _select(code: Code, order: str, one: Any, other: Any) -> Any:
    return code.builder.select(code.builder.fcmp_ordered(order, one, other), one, other)


def _reduce(code: Code, order: str, vectors: list[Any]) -> Any:
    """The best of all numbers of these vectors."""
    first, *others = vectors
    for other in others:
        first = _select(code, order, first, other)
    return code.reduce(first, partial(_select, code, order))
