"""Attention's weights and their gradient, keys down and 16 queries across: a query's sum is a vector's lane.

Shapes: S keys, m = S / 2 pairs of them, rounded up. Weights are bfloat16, two keys' side by side.
"""

from typing import Any

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGERS, LANES, LONG, REALS, Code, every, instructions
from polyhead.kernels.microkernels.amx import BYTES
from polyhead.kernels.numbers.bfloat16 import pairs_of, parts_of
from polyhead.kernels.numbers.exponential import exponentials

HIDDEN = -1e38
"""What is added to the score of a key that is hidden."""
_NOTHING, _ONE = every(0.0), every(1.0)
_SHORTS = ir.VectorType(ir.IntType(16), LANES)


@instructions(ADDRESS, "float32", ADDRESS, COUNT, ADDRESS)
def softmax(code: Code, scores: Any, scale: Any, hidden: Any, pairs: Any, weights: Any) -> None:
    """(scores, scale, hidden, m, weights): the softmax of scale · scores [2m, 16] + hidden [2m, 16] → weights [m, 16].

    The scores are overwritten. A query that sees no key gets zeros.
    """
    builder = code.builder
    factors = code.everywhere(scale)

    def largest(index: Any, found: list[Any]) -> list[Any]:
        for place in _two(code, index):
            score = builder.fmul(code.load(REALS, scores, place), factors)
            score = builder.fadd(score, code.load(REALS, hidden, place))
            code.store(score, scores, place)
            found = [found[1], code.larger(score, found[0])]
        return found

    shift = code.larger(*code.repeat(pairs, [every(HIDDEN)] * 2, largest))

    def powers(index: Any, totals: list[Any]) -> list[Any]:
        for place in _two(code, index):
            power = exponentials(code, builder.fsub(code.load(REALS, scores, place), shift))
            code.store(power, scores, place)
            totals = [totals[1], builder.fadd(totals[0], power)]
        return totals

    total = builder.fadd(*code.repeat(pairs, [_NOTHING] * 2, powers))
    sees = builder.fcmp_ordered(">", shift, every(HIDDEN / 2))
    share = builder.select(sees, builder.fdiv(_ONE, total), _NOTHING)
    with code.each(pairs) as index:
        both = [builder.fmul(code.load(REALS, scores, place), share) for place in _two(code, index)]
        code.store(pairs_of(code, *both), weights, builder.mul(index, code.long(BYTES)))


@instructions(ADDRESS, ADDRESS, "float32", COUNT, ADDRESS)
def differentiate(code: Code, d_weights: Any, weights: Any, scale: Any, pairs: Any, d_scores: Any) -> None:
    """(d_weights, weights, scale, m, d_scores): d_weights [2m, 16] float32, weights [m, 16] → d_scores [m, 16]."""
    builder = code.builder

    def both(index: Any) -> tuple[list[Any], tuple[Any, Any]]:
        gradients = [code.load(REALS, d_weights, place) for place in _two(code, index)]
        return gradients, parts_of(code, code.load(INTEGERS, weights, builder.mul(index, code.long(BYTES))))

    def mean(index: Any, totals: list[Any]) -> list[Any]:
        gradients, parts = both(index)
        return [code.multiply_add(*each) for each in zip(gradients, parts, totals, strict=True)]

    means, factors = builder.fadd(*code.repeat(pairs, [_NOTHING] * 2, mean)), code.everywhere(scale)
    with code.each(pairs) as index:
        gradients, parts = both(index)
        found = [
            builder.fmul(builder.fmul(weight, factors), builder.fsub(gradient, means))
            for gradient, weight in zip(gradients, parts, strict=True)
        ]
        code.store(pairs_of(code, *found), d_scores, builder.mul(index, code.long(BYTES)))


@instructions(ADDRESS, COUNT, ADDRESS)
def key_rows(code: Code, weights: Any, pairs: Any, out: Any) -> None:
    """(weights, m, out): weights [m, 16] → a row of 32 bytes for each key, 16 queries; rows begin 64 bytes apart."""
    builder = code.builder
    sixteen = ir.Constant(INTEGERS, [16] * LANES)
    with code.each(pairs) as index:
        both = code.load(INTEGERS, weights, builder.mul(index, code.long(BYTES)))
        for place, half in zip(_two(code, index), (both, builder.lshr(both, sixteen)), strict=True):
            code.store(builder.trunc(half, _SHORTS), out, place)


def _two(code: Code, index: Any) -> list[Any]:
    """Where the rows of a pair of keys begin."""
    first = code.builder.mul(index, ir.Constant(LONG, 2 * BYTES))
    return [first, code.builder.add(first, code.long(BYTES))]
