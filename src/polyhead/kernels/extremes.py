"""The largest and the smallest of many numbers, in whole registers: no compiler makes vectors of a loop over `max`."""

from typing import Any

from polyhead.kernels.compile import intrinsic, ir, types
from polyhead.kernels.llvm import ADDRESS, COUNT, LANES, REAL, REALS, Code

VECTORS = 4
"""Looked at at once, as one comparison takes longer than the next needs to begin."""
BLOCK = VECTORS * LANES


def _extreme(order: str, reduction: str, worst: float) -> Any:
    @intrinsic
    def of_blocks(typing_context: Any, x: Any, blocks: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            x, blocks = arguments
            code = Code(builder)

            def better(one: Any, other: Any) -> Any:
                return builder.select(builder.fcmp_ordered(order, one, other), one, other)

            def step(index: Any, found: list[Any]) -> list[Any]:
                here = builder.add(x, builder.mul(index, code.long(4 * BLOCK)))
                values = [code.load(REALS, here, code.long(4 * LANES * vector)) for vector in range(VECTORS)]
                return [better(value, before) for value, before in zip(values, found, strict=True)]

            first, *others = code.repeat(blocks, [ir.Constant(REALS, [worst] * LANES)] * VECTORS, step)
            for other in others:
                first = better(first, other)
            return code.call(reduction, REAL, first)

        return types.float32(ADDRESS, COUNT), generate

    return of_blocks


largest = _extreme(">", "llvm.vector.reduce.fmax.v16f32", float("-inf"))
"""(x, blocks) → the largest of `blocks` × BLOCK numbers float32; blocks ≥ 1."""
smallest = _extreme("<", "llvm.vector.reduce.fmin.v16f32", float("inf"))
"""(x, blocks) → the smallest of them."""
