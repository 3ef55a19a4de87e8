"""The product of two vectors, in whole registers."""

from typing import Any

from polyhead.kernels.llvm import ADDRESS, COUNT, LANES, V16F32, Code, instructions, splat


@instructions(ADDRESS, ADDRESS, COUNT, result="float32")
def dot(code: Code, x: Any, y: Any, vectors: Any) -> Any:
    """(x, y, vectors) → Σ x[k] y[k] of `vectors` × LANES numbers float32; vectors ≥ 1."""
    builder = code.builder

    def step(index: Any, total: list[Any]) -> list[Any]:
        offset = builder.mul(index, code.i64(4 * LANES))
        return [code.multiply_add(code.load(V16F32, x, offset), code.load(V16F32, y, offset), total[0])]

    return code.reduce(code.fori_loop(vectors, [splat(0.0)], step)[0], builder.fadd)
