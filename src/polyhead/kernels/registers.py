"""The inner loops of a Transformer's step, with all they add up in registers; written in LLVM's instructions.

A compiler does not find these from loops over arrays: it stores every sum after every step. What calls them is Python.
Addresses are in bytes. Vectors are of 16 numbers of 32 bits; where a CPU's are shorter, LLVM takes several for one.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from polyhead.hardware import cpu_features
from polyhead.kernels.compile import intrinsic, ir, types

LANES = 16
"""Numbers in a vector."""
ACROSS = 4
"""Vectors of a product's outputs whose weights lie together."""
PANEL = LANES * ACROSS
"""Those outputs."""
DOWN = 6
"""Rows that a product takes at once. Fewer are left over …"""
HALF = 3
"""… and taken by halves, then one by one."""
SUMS = 24 if "avx512_f" in cpu_features() else 6
"""Vectors added up at once: AVX-512 has 32 registers for them and for what is added, AVX2 has 16 of half the length."""

INTEGER, LONG, REAL = ir.IntType(32), ir.IntType(64), ir.FloatType()
INTEGERS, REALS = ir.VectorType(INTEGER, LANES), ir.VectorType(REAL, LANES)
ADDRESS, COUNT = types.uintp, types.intp


class _BFloat16(ir.Type):
    """LLVM has this type, llvmlite no name for it."""

    def _to_string(self) -> str:
        return "bfloat"


BFLOAT16 = _BFloat16()
HALVES, PAIRS = ir.VectorType(BFLOAT16, LANES), ir.VectorType(BFLOAT16, 2 * LANES)


class Code:
    """What these loops need of an `ir.IRBuilder`."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder

    def long(self, value: int) -> Any:
        return ir.Constant(LONG, value)

    def load(self, kind: Any, address: Any, offset: Any) -> Any:
        """The value at address + offset."""
        value = self.builder.load(self._pointer(kind, address, offset))
        value.align = 1
        return value

    def store(self, value: Any, address: Any, offset: Any) -> None:
        """Writes to address + offset."""
        self.builder.store(value, self._pointer(value.type, address, offset)).align = 1

    def everywhere(self, value: Any) -> Any:
        """The value in every lane of a vector."""
        vector = ir.VectorType(value.type, LANES)
        undefined = ir.Constant(vector, ir.Undefined)
        first = self.builder.insert_element(undefined, value, ir.Constant(INTEGER, 0))
        return self.builder.shuffle_vector(first, undefined, ir.Constant(INTEGERS, [0] * LANES))

    def halves(self, vector: Any) -> list[Any]:
        """A vector's first lanes, and its last."""
        parts = range(LANES // 2), range(LANES // 2, LANES)
        return [self.builder.shuffle_vector(vector, vector, _lanes(part)) for part in parts]

    def joined(self, first: Any, last: Any) -> Any:
        """The vector of two halves."""
        return self.builder.shuffle_vector(first, last, _lanes(range(LANES)))

    def call(self, name: str, kind: Any, *arguments: Any, **options: Any) -> Any:
        """An intrinsic function of LLVM."""
        function = self.builder.module.globals.get(name)
        if function is None:
            signature = ir.FunctionType(kind, [each.type for each in arguments])
            function = ir.Function(self.builder.module, signature, name)
        return self.builder.call(function, arguments, **options)

    def repeat(self, count: Any, begin: list[Any], body: Callable[[Any, list[Any]], list[Any]]) -> list[Any]:
        """body(0 … count - 1, values) → the next values, from `begin`; count ≥ 1."""
        builder = self.builder
        before, loop, end = builder.block, builder.append_basic_block(), builder.append_basic_block()
        builder.branch(loop)
        builder.position_at_end(loop)
        index, values = builder.phi(LONG), [builder.phi(value.type) for value in begin]
        following = body(index, values)
        next_index = builder.add(index, self.long(1))
        for phi, first, later in zip([index, *values], [self.long(0), *begin], [next_index, *following], strict=True):
            phi.add_incoming(first, before)
            phi.add_incoming(later, loop)
        builder.cbranch(builder.icmp_signed("<", next_index, count), loop, end)
        builder.position_at_end(end)
        return following

    def _pointer(self, kind: Any, address: Any, offset: Any) -> Any:
        return self.builder.inttoptr(self.builder.add(address, offset), kind.as_pointer())


def _lanes(numbers: Iterable[int]) -> Any:
    chosen = list(numbers)
    return ir.Constant(ir.VectorType(INTEGER, len(chosen)), chosen)


def integer_sums(rows: int) -> Any:
    """(x, its row's bytes, weight, K/4, start, out): out[r, n] = start[n] + Σ_k x[r, k] weight[n, k] for a panel's n.

    x [rows, K] unsigned bytes; weight [K/4, PANEL, 4] bytes; start [PANEL] and out [rows, PANEL] int32. K ≥ 4.
    """

    def add(code: Code, total: Any, four: Any, weights: Any) -> Any:
        # four products of bytes in each of 16 lanes
        if "avx512_vnni" in cpu_features():
            return code.call("llvm.x86.avx512.vpdpbusd.512", INTEGERS, total, four, weights)
        halves = zip(*map(code.halves, (total, four, weights)), strict=True)
        return code.joined(*(code.call("llvm.x86.avx512.vpdpbusd.256", each[0].type, *each) for each in halves))

    return _sums(rows, INTEGERS, add)


def real_sums(rows: int) -> Any:
    """(x, its row's bytes, weight, K, start, out): out[r, n] = start[n] + Σ_k x[r, k] weight[n, k] for a panel's n.

    All float32: x [rows, K], weight [K, PANEL], start [PANEL], out [rows, PANEL]. K ≥ 1.
    """

    def add(code: Code, total: Any, factor: Any, weights: Any) -> Any:
        return code.call("llvm.fma.v16f32", REALS, factor, weights, total)

    return _sums(rows, REALS, add)


def pair_sums(rows: int) -> Any:
    """(x, its row's bytes, weight, K/2, start, out): out[r, n] = start[n] + Σ_k x[r, k] weight[n, k] for a panel's n.

    x [rows, K] and weight [K/2, PANEL, 2] bfloat16; start [PANEL] and out [rows, PANEL] float32. K ≥ 2.
    """
    return _sums(rows, REALS, add_pairs)


def add_pairs(code: Code, total: Any, two: Any, weights: Any) -> Any:
    """Two products of bfloat16 in each of 16 lanes, added in float32."""
    pairs = (code.builder.bitcast(each, PAIRS) for each in (two, weights))
    return code.call("llvm.x86.avx512bf16.dpbf16ps.512", REALS, total, *pairs)


Add = Callable[[Code, Any, Any, Any], Any]


def _sums(rows: int, vector: Any, add: Add) -> Any:
    @intrinsic
    def sums(typing_context: Any, x: Any, stride: Any, weight: Any, steps: Any, start: Any, out: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            x, stride, weight, steps, start, out = arguments
            code = Code(builder)
            of_rows = [builder.add(x, builder.mul(stride, code.long(row))) for row in range(rows)]
            count = min(ACROSS, SUMS // rows)
            for first in range(0, ACROSS, count):
                offsets = [code.long(4 * LANES * across) for across in range(first, first + count)]
                begun = [code.load(vector, start, offset) for offset in offsets] * rows
                found = iter(product(code, of_rows, builder.add(weight, offsets[0]), steps, begun, add))
                for row in range(rows):
                    here = builder.add(out, code.long(4 * PANEL * row))
                    for offset in offsets:
                        code.store(next(found), here, offset)
            return context.get_dummy_value()

        return types.void(ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS, ADDRESS), generate

    return sums


def product(code: Code, rows: Sequence[Any], weight: Any, steps: Any, begun: Sequence[Any], add: Add) -> list[Any]:
    """Rows' addresses times vectors of a panel's weights, from `begun` on, as many for each row → their sums.

    A step takes 32 bits of each row, in every lane, times the panel's: add(code, total, those, weights).
    """
    builder, vector, count = code.builder, begun[0].type, len(begun) // len(rows)

    def step(index: Any, totals: list[Any]) -> list[Any]:
        here = builder.add(weight, builder.mul(index, code.long(4 * PANEL)))
        weights = [code.load(vector, here, code.long(4 * LANES * across)) for across in range(count)]
        column = builder.mul(index, code.long(4))
        factors = [code.everywhere(code.load(vector.element, row, column)) for row in rows]
        pairs = [(factor, each) for factor in factors for each in weights]
        return [add(code, total, *pair) for total, pair in zip(totals, pairs, strict=True)]

    return code.repeat(steps, list(begun), step)


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
                place = builder.sext(code.load(INTEGER, places, at), LONG)
                here = builder.add(key, builder.mul(place, stride))
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
                place = builder.sext(code.load(INTEGER, places, at), LONG)
                here = builder.add(value, builder.mul(place, stride))
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
