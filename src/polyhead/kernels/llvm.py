"""LLVM's instructions, for inner loops whose accumulators stay in registers.

A compiler does not find these from loops over arrays: it stores every accumulator after every step. A function under
`@instructions` writes them, in Python, when a kernel that calls it is compiled.
Addresses are in bytes. Vectors are of 16 numbers of 32 bits; where a CPU's are shorter, LLVM takes several for one.
Types are named as in LLVM's own intrinsics: `V16F32` is a vector of 16 numbers of float32.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import Any

from polyhead.kernels.compiler import intrinsic, ir, types

LANES = 16
"""How many numbers a vector has."""

I8, I16, I32, I64, F32 = *(ir.IntType(bits) for bits in (8, 16, 32, 64)), ir.FloatType()
V16I8, V16I16, V16I32, V16F32 = (ir.VectorType(kind, LANES) for kind in (I8, I16, I32, F32))
ADDRESS, COUNT, ANY = "uintp", "intp", "any"
"""Kinds of arguments: ANY is whatever the caller gives."""


class _BFloat16(ir.Type):
    """LLVM's type of bfloat16, for which llvmlite has no name."""

    def _to_string(self) -> str:
        return "bfloat"


BF16 = _BFloat16()
V32BF16 = ir.VectorType(BF16, 2 * LANES)


def splat(value: float) -> Any:
    """A constant of float32 in every lane of a vector."""
    return ir.Constant(V16F32, [value] * LANES)


class Code:
    """Writes what inner loops need and its `builder`, an `ir.IRBuilder`, does not offer in one call."""

    def __init__(self, builder: Any, kinds: Sequence[Any] = ()) -> None:
        """kinds: Numba's types of the arguments of what is being written."""
        self.builder, self.kinds = builder, kinds

    def i64(self, value: int) -> Any:
        """A constant of 64 bits."""
        return ir.Constant(I64, value)

    def load(self, kind: Any, address: Any, offset: Any) -> Any:
        """Loads the value of this kind at address + offset."""
        value = self.builder.load(self._pointer(kind, address, offset))
        value.align = 1
        return value

    def store(self, value: Any, address: Any, offset: Any) -> None:
        """Stores a value at address + offset."""
        self.builder.store(value, self._pointer(value.type, address, offset)).align = 1

    def prefetch(self, address: Any, to_write: bool = False) -> None:
        """Prefetches the cache line at an address: into a core's second cache, or into its first, to be written to."""
        hints = (1, 3, 1) if to_write else (0, 2, 1)  # to write; how near, 3 the nearest; data
        pointer = self.builder.inttoptr(address, I8.as_pointer())
        self.call("llvm.prefetch.p0i8", ir.VoidType(), pointer, *[ir.Constant(I32, hint) for hint in hints])

    def addresses(self, address: Any, stride: Any, count: int, first: Any = None) -> list[Any]:
        """`count` addresses, `stride` bytes apart, from the one with the number `first` on."""
        if first is not None:
            address = self.builder.add(address, self.builder.mul(stride, first))
        return [self.builder.add(address, self.builder.mul(stride, self.i64(number))) for number in range(count)]

    def unpack(self, value: Any) -> list[Any]:
        """The elements of a tuple."""
        kinds = value.type
        count = kinds.count if isinstance(kinds, ir.ArrayType) else len(kinds.elements)
        return [self.builder.extract_value(value, number) for number in range(count)]

    def broadcast(self, value: Any) -> Any:
        """A vector with the value in every lane."""
        vector = ir.VectorType(value.type, LANES)
        undefined = ir.Constant(vector, ir.Undefined)
        first = self.builder.insert_element(undefined, value, ir.Constant(I32, 0))
        return self.builder.shuffle_vector(first, undefined, ir.Constant(V16I32, [0] * LANES))

    def split(self, vector: Any) -> list[Any]:
        """The first half of a vector's lanes, and the second."""
        parts = range(LANES // 2), range(LANES // 2, LANES)
        return [self.shuffle(vector, vector, part) for part in parts]

    def concat(self, first: Any, last: Any) -> Any:
        """The vector whose first half is `first` and whose second is `last`."""
        return self.shuffle(first, last, range(LANES))

    def shuffle(self, one: Any, other: Any, chosen: Iterable[int]) -> Any:
        """The chosen lanes of two vectors; the lanes of the other one are numbered behind those of the first."""
        return self.builder.shuffle_vector(one, other, _lane_numbers(chosen))

    def transposed(self, rows: list[Any]) -> list[Any]:
        """N vectors, each of one or more times N numbers → the transposes of the matrices that they hold side by side.

        In one pass each for blocks of 1, 2, 4 … numbers, the two blocks beside the diagonal change places.
        """
        rows, lanes, size = list(rows), rows[0].type.count, 1
        while size < len(rows):
            first = [lane if not lane & size else lanes + lane - size for lane in range(lanes)]
            second = [lane + size if not lane & size else lanes + lane for lane in range(lanes)]
            for one in range(len(rows)):
                if not one & size:
                    both = rows[one], rows[one + size]
                    rows[one], rows[one + size] = self.shuffle(*both, first), self.shuffle(*both, second)
            size *= 2
        return rows

    def maximum(self, one: Any, other: Any) -> Any:
        """Lane by lane, the larger number of two vectors; where either is NaN, the number of `other`."""
        return self.builder.select(self.builder.fcmp_ordered(">", one, other), one, other)

    def reduce(self, vector: Any, both: Callable[[Any, Any], Any]) -> Any:
        """The reduction of a vector's lanes to one number, by both(a, b) of halves and at last of two numbers."""
        while vector.type.count > 2:
            half = vector.type.count // 2
            parts = range(half), range(half, 2 * half)
            vector = both(*(self.shuffle(vector, vector, part) for part in parts))
        return both(*(self.builder.extract_element(vector, ir.Constant(I32, lane)) for lane in range(2)))

    def call(self, name: str, kind: Any, *arguments: Any, **options: Any) -> Any:
        """Calls an intrinsic function of LLVM."""
        function = self.builder.module.globals.get(name)
        if function is None:
            signature = ir.FunctionType(kind, [each.type for each in arguments])
            function = ir.Function(self.builder.module, signature, name)
        return self.builder.call(function, arguments, **options)

    def multiply_add(self, factor: Any, numbers: Any, total: Any) -> Any:
        """factor · numbers + total, vectors of float32: rounded once where the CPU has such an instruction, else twice.

        The function that LLVM would call for a single rounding on other CPUs takes twenty times as long.
        """
        return self.call("llvm.fmuladd.v16f32", V16F32, factor, numbers, total)

    @contextmanager
    def loop(self, count: Any) -> Generator[Any]:
        """A loop: what is written in the block is done for an index from 0 to count - 1, which is given; count ≥ 1."""
        builder = self.builder
        before, loop, end = builder.block, builder.append_basic_block(), builder.append_basic_block()
        builder.branch(loop)
        builder.position_at_end(loop)
        index = builder.phi(I64)
        yield index
        following = builder.add(index, self.i64(1))
        index.add_incoming(self.i64(0), before)
        index.add_incoming(following, builder.block)
        builder.cbranch(builder.icmp_signed("<", following, count), loop, end)
        builder.position_at_end(end)

    def fori_loop(self, count: Any, begin: list[Any], body: Callable[[Any, list[Any]], list[Any]]) -> list[Any]:
        """A loop with values carried along: body(index, values) gives the next ones, from `begin` on; count ≥ 1."""
        before = self.builder.block
        with self.loop(count) as index:
            values = [self.builder.phi(value.type) for value in begin]
            following = body(index, values)
            for phi, first, later in zip(values, begin, following, strict=True):
                phi.add_incoming(first, before)
                phi.add_incoming(later, self.builder.block)
        return following

    def prefetch_rows(self, address: Any, stride: Any, count: Any) -> None:
        """Prefetches `count` ≥ 1 cache lines, `stride` bytes apart."""
        with self.loop(count) as number:
            self.prefetch(self.builder.add(address, self.builder.mul(number, stride)))

    def _pointer(self, kind: Any, address: Any, offset: Any) -> Any:
        return self.builder.inttoptr(self.builder.add(address, offset), kind.as_pointer())


def _lane_numbers(numbers: Iterable[int]) -> Any:
    chosen = list(numbers)
    return ir.Constant(ir.VectorType(I32, len(chosen)), chosen)


def instructions(*kinds: Any, result: Any = "void") -> Callable[[Callable[..., Any]], Any]:
    """Makes of function(code, arguments …), which writes LLVM's instructions by its `Code`, what kernels can call.

    kinds: Numba's types of the arguments, by name; several names are a tuple's. result: the type of what it returns.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        def found(typing_context: Any, *given: Any) -> Any:
            def generate(context: Any, builder: Any, types_: Any, arguments: Any) -> Any:
                value = function(Code(builder, given), *arguments)
                return context.get_dummy_value() if value is None else value

            asked = [own if kind == ANY else _type(kind) for kind, own in zip(kinds, given, strict=True)]
            return _type(result)(*asked), generate

        found.__name__, found.__doc__ = function.__name__, function.__doc__
        vars(found)["__signature__"] = signature(function)  # Numba passes arguments by it
        return intrinsic(found)

    return decorate


def _type(kind: str | tuple[str, ...]) -> Any:
    """Numba's type of this name, or the tuple of such types."""
    return getattr(types, kind) if isinstance(kind, str) else types.Tuple([getattr(types, each) for each in kind])
