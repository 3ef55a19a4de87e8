"""The largest and the smallest of many numbers, in whole registers: no compiler makes vectors of a loop over `max`."""

from functools import partial
from typing import Any

from polyhead.kernels.compiler import cgutils, ir
from polyhead.kernels.llvm import ADDRESS, COUNT, LANES, REAL, REALS, Code, every, instructions

VECTORS = 4
"""How many vectors are compared at once, as one comparison takes longer than the next needs to begin."""
BLOCK = VECTORS * LANES
_WORST = {">": every(float("-inf")), "<": every(float("inf"))}


@instructions(ADDRESS, COUNT, result="float32")
def largest(code: Code, x: Any, blocks: Any) -> Any:
    """(x, blocks) → the largest of `blocks` × BLOCK numbers float32; blocks ≥ 1."""

    def step(index: Any, found: list[Any]) -> list[Any]:
        values = _block(code, x, index)
        return [_better(code, ">", value, before) for value, before in zip(values, found, strict=True)]

    return _best(code, ">", code.repeat(blocks, [_WORST[">"]] * VECTORS, step))


@instructions(ADDRESS, COUNT, result=("float32", "float32"))
def extent(code: Code, x: Any, blocks: Any) -> Any:
    """(x, blocks) → the smallest and the largest of `blocks` × BLOCK numbers float32; blocks ≥ 1."""
    builder = code.builder
    orders = ("<", ">")

    def step(index: Any, found: list[Any]) -> list[Any]:
        values = _block(code, x, index)
        both = [(order, value) for order in orders for value in values]
        return [_better(code, *each, before) for each, before in zip(both, found, strict=True)]

    found = code.repeat(blocks, [_WORST[order] for order in orders for _ in range(VECTORS)], step)
    low, high = found[:VECTORS], found[VECTORS:]
    return cgutils.pack_array(builder, [_best(code, "<", low), _best(code, ">", high)])


@instructions(ADDRESS, COUNT, ADDRESS, result="float32")
def peaks_of_blocks(code: Code, x: Any, blocks: Any, out: Any) -> Any:
    """(x, blocks, out) → the same as `largest`; out [blocks] float32, the largest of each BLOCK."""
    builder = code.builder

    def step(index: Any, found: list[Any]) -> list[Any]:
        peak = _best(code, ">", _block(code, x, index))
        code.store(peak, out, builder.mul(index, code.long(4)))
        return [_better(code, ">", peak, found[0])]

    return code.repeat(blocks, [ir.Constant(REAL, float("-inf"))], step)[0]


def _block(code: Code, x: Any, index: Any) -> list[Any]:
    """The vectors of the block of this index."""
    here = code.builder.add(x, code.builder.mul(index, code.long(4 * BLOCK)))
    return [code.load(REALS, here, code.long(4 * LANES * vector)) for vector in range(VECTORS)]


def _better(code: Code, order: str, one: Any, other: Any) -> Any:
    return code.builder.select(code.builder.fcmp_ordered(order, one, other), one, other)


def _best(code: Code, order: str, vectors: list[Any]) -> Any:
    """The best of all numbers of these vectors."""
    first, *others = vectors
    for other in others:
        first = _better(code, order, first, other)
    return code.folded(first, partial(_better, code, order))
