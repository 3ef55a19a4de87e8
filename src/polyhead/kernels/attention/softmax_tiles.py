"""Attention's softmax and its gradient on tiles, keys down and 16 queries across: a query's sum is a vector's lane.

Shapes: S keys, m = S / 2 pairs of them, rounded up. Weights are bfloat16, two keys' side by side.
"""

from typing import Any

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, COUNT, I64, LANES, V16F32, V16I16, V16I32, Code, instructions, splat
from polyhead.kernels.microkernels.amx import ROW_BYTES
from polyhead.kernels.numbers.bfloat16 import pack_pairs, unpack_pairs
from polyhead.kernels.numbers.exponential import exp_vector

MASKED = -1e38
"""What the mask adds to the score of a key that a query may not see."""
_ZEROS, _ONES = splat(0.0), splat(1.0)


@instructions(ADDRESS, "float32", ADDRESS, COUNT, ADDRESS)
def softmax(code: Code, scores: Any, scale: Any, mask: Any, pairs: Any, weights: Any) -> None:
    """(scores, scale, mask, m, weights): the softmax of scale · scores [2m, 16] + mask [2m, 16] → weights [m, 16].

    The scores are overwritten. A query that sees no key gets zeros.
    """
    builder = code.builder
    factors = code.broadcast(scale)

    def step(index: Any, found: list[Any]) -> list[Any]:
        for offset in _row_offsets(code, index):
            score = builder.fmul(code.load(V16F32, scores, offset), factors)
            score = builder.fadd(score, code.load(V16F32, mask, offset))
            code.store(score, scores, offset)
            found = [found[1], code.maximum(score, found[0])]
        return found

    shift = code.maximum(*code.fori_loop(pairs, [splat(MASKED)] * 2, step))

    def exponentiate(index: Any, totals: list[Any]) -> list[Any]:
        for offset in _row_offsets(code, index):
            power = exp_vector(code, builder.fsub(code.load(V16F32, scores, offset), shift))
            code.store(power, scores, offset)
            totals = [totals[1], builder.fadd(totals[0], power)]
        return totals

    total = builder.fadd(*code.fori_loop(pairs, [_ZEROS] * 2, exponentiate))
    sees = builder.fcmp_ordered(">", shift, splat(MASKED / 2))
    share = builder.select(sees, builder.fdiv(_ONES, total), _ZEROS)
    with code.loop(pairs) as index:
        both = [builder.fmul(code.load(V16F32, scores, offset), share) for offset in _row_offsets(code, index)]
        code.store(pack_pairs(code, *both), weights, builder.mul(index, code.i64(ROW_BYTES)))


@instructions(ADDRESS, ADDRESS, "float32", COUNT, ADDRESS)
def softmax_backward(code: Code, d_weights: Any, weights: Any, scale: Any, pairs: Any, d_scores: Any) -> None:
    """(d_weights, weights, scale, m, d_scores): d_weights [2m, 16] float32, weights [m, 16] → d_scores [m, 16]."""
    builder = code.builder

    def both(index: Any) -> tuple[list[Any], tuple[Any, Any]]:
        gradients = [code.load(V16F32, d_weights, offset) for offset in _row_offsets(code, index)]
        return gradients, unpack_pairs(code, code.load(V16I32, weights, builder.mul(index, code.i64(ROW_BYTES))))

    def mean(index: Any, totals: list[Any]) -> list[Any]:
        gradients, parts = both(index)
        return [code.multiply_add(*each) for each in zip(gradients, parts, totals, strict=True)]

    means, factors = builder.fadd(*code.fori_loop(pairs, [_ZEROS] * 2, mean)), code.broadcast(scale)
    with code.loop(pairs) as index:
        gradients, parts = both(index)
        found = [
            builder.fmul(builder.fmul(weight, factors), builder.fsub(gradient, means))
            for gradient, weight in zip(gradients, parts, strict=True)
        ]
        code.store(pack_pairs(code, *found), d_scores, builder.mul(index, code.i64(ROW_BYTES)))


@instructions(ADDRESS, COUNT, ADDRESS)
def key_rows(code: Code, weights: Any, pairs: Any, out: Any) -> None:
    """(weights, m, out): weights [m, 16] → a row of 32 bytes for each key, 16 queries; rows begin 64 bytes apart."""
    builder = code.builder
    sixteen = ir.Constant(V16I32, [16] * LANES)
    with code.loop(pairs) as index:
        both = code.load(V16I32, weights, builder.mul(index, code.i64(ROW_BYTES)))
        for offset, half in zip(_row_offsets(code, index), (both, builder.lshr(both, sixteen)), strict=True):
            code.store(builder.trunc(half, V16I16), out, offset)


def _row_offsets(code: Code, index: Any) -> list[Any]:
    """Where the rows of a pair of keys begin."""
    first = code.builder.mul(index, ir.Constant(I64, 2 * ROW_BYTES))
    return [first, code.builder.add(first, code.i64(ROW_BYTES))]
