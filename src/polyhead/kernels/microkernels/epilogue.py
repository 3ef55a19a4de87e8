"""Epilogues: what is done with a product's accumulators before they are written.

An `Epilogue` works on vectors in registers and is the same for every arithmetic. On AMX accumulators leave their tiles
by memory, a row of 32 at a time, the 16 even columns before the odd ones; there a `RowEpilogue` also reads and writes.
"""

from collections.abc import Callable
from typing import Any

from polyhead.kernels.llvm import ADDRESS, COUNT, V16F32, V16I32, Code, instructions, splat
from polyhead.kernels.microkernels.amx import ROW_BYTES, ROWS
from polyhead.kernels.numbers.bfloat16 import pack_pairs, unpack_pairs

BLOCK = 2 * ROWS
"""Rows and columns of a block of results on AMX, and how many numbers one product of tiles sums over."""
ACCUMULATOR_ROW = 2 * ROW_BYTES
"""Bytes of a row of accumulators."""
_ZEROS = splat(0.0)

Epilogue = Callable[[Code, list[Any], list[Any], Any], list[Any]]
"""(vectors of sums, the vectors of the epilogue's input at the same places, a factor) → the vectors to be written."""
RowEpilogue = Callable[[Code, list[Any], Any, Any, Any], None]
"""(a row's sums, the address of the row of the epilogue's input, a factor, the address to write the row to)."""


def on_bfloat16_row(epilogue: Epilogue) -> RowEpilogue:
    """An epilogue turned into one for a row of AMX's accumulators, whose input and result are bfloat16."""

    def apply(code: Code, sums: list[Any], input_row: Any, factor: Any, out: Any) -> None:
        here = code.i64(0)
        inputs = list(unpack_pairs(code, code.load(V16I32, input_row, here)))
        code.store(pack_pairs(code, *epilogue(code, sums, inputs, factor)), out, here)

    return apply


def identity(code: Code, sums: list[Any], inputs: list[Any], factor: Any) -> list[Any]:
    """The sums themselves."""
    return sums


def add_bias(code: Code, sums: list[Any], inputs: list[Any], factor: Any) -> list[Any]:
    """The sums plus the input, which is a bias."""
    return [code.builder.fadd(*both) for both in zip(sums, inputs, strict=True)]


def add_bias_and_relu(code: Code, sums: list[Any], inputs: list[Any], factor: Any) -> list[Any]:
    """The larger of 0 and the sums plus a bias."""
    return [code.maximum(each, _ZEROS) for each in add_bias(code, sums, inputs, factor)]


def gate(code: Code, sums: list[Any], inputs: list[Any], factor: Any) -> list[Any]:
    """A ReLU's gradient: the sums times the factor where the input, which is the ReLU's output, is not 0, else 0."""
    builder, factors = code.builder, code.broadcast(factor)
    passed = [builder.fcmp_unordered("!=", each, _ZEROS) for each in inputs]
    return [builder.select(yes, builder.fmul(each, factors), _ZEROS) for yes, each in zip(passed, sums, strict=True)]


identity_row = on_bfloat16_row(identity)


def apply_to_row(
    code: Code,
    epilogue: RowEpilogue,
    index: Any,
    sums: Any,
    inputs: Any,
    input_stride: Any,
    factor: Any,
    out: Any,
    out_stride: Any,
) -> None:
    """Applies an epilogue to one row of a block of accumulators in memory: the row of this index.

    sums, inputs and out are addresses of the first row; input_stride and out_stride are the bytes between two rows.
    """
    builder = code.builder
    here = builder.add(sums, builder.mul(index, code.i64(ACCUMULATOR_ROW)))
    found = [code.load(V16F32, here, code.i64(half)) for half in (0, ROW_BYTES)]
    epilogue(
        code,
        found,
        builder.add(inputs, builder.mul(index, input_stride)),
        factor,
        builder.add(out, builder.mul(index, out_stride)),
    )


def apply_to_block(epilogue: RowEpilogue) -> Any:
    """(sums, inputs, bytes of a row of theirs, factor, out, bytes of its row): the epilogue of a whole block."""

    @instructions(ADDRESS, ADDRESS, COUNT, "float32", ADDRESS, COUNT)
    def apply_to_rows(
        code: Code, sums: Any, inputs: Any, input_stride: Any, factor: Any, out: Any, out_stride: Any
    ) -> None:
        with code.loop(code.i64(BLOCK)) as index:
            apply_to_row(code, epilogue, index, sums, inputs, input_stride, factor, out, out_stride)

    return apply_to_rows
