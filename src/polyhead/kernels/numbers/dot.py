"""The product of two vectors, in whole registers."""

from typing import Any

from polyhead.kernels.llvm import ADDRESS, COUNT, LANES, REALS, Code, every, instructions


@instructions(ADDRESS, ADDRESS, COUNT, result="float32")
def dot(code: Code, x: Any, y: Any, vectors: Any) -> Any:
    """(x, y, vectors) → Σ x[k] y[k] of `vectors` × LANES numbers float32; vectors ≥ 1."""
    builder = code.builder

    def step(index: Any, total: list[Any]) -> list[Any]:
        offset = builder.mul(index, code.long(4 * LANES))
        return [code.multiply_add(code.load(REALS, x, offset), code.load(REALS, y, offset), total[0])]

    return code.folded(code.repeat(vectors, [every(0.0)], step)[0], builder.fadd)
