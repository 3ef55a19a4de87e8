"""LLVM's instructions, for inner loops whose sums stay in registers.

A compiler does not find these from loops over arrays: it stores every sum after every step. A function under
`@instructions` writes them, in Python, when a kernel that calls it is compiled.
Addresses are in bytes. Vectors are of 16 numbers of 32 bits; where a CPU's are shorter, LLVM takes several for one.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import Any

from polyhead.kernels.compiler import intrinsic, ir, types

LANES = 16
"""How many numbers a vector has."""

BYTE = ir.IntType(8)
INTEGER, LONG, REAL = ir.IntType(32), ir.IntType(64), ir.FloatType()
INTEGERS, REALS = ir.VectorType(INTEGER, LANES), ir.VectorType(REAL, LANES)
ADDRESS, COUNT, ANY = "uintp", "intp", "any"
"""Kinds of arguments: ANY is whatever the caller gives."""


class _BFloat16(ir.Type):
    """LLVM has this type, llvmlite no name for it."""

    def _to_string(self) -> str:
        return "bfloat"


BFLOAT16 = _BFloat16()
PAIRS = ir.VectorType(BFLOAT16, 2 * LANES)


def every(value: float) -> Any:
    """A number that is known beforehand, in every lane of a vector."""
    return ir.Constant(REALS, [value] * LANES)


class Code:
    """What these loops need of an `ir.IRBuilder`."""

    def __init__(self, builder: Any, kinds: Sequence[Any] = ()) -> None:
        """kinds: Numba's types of the arguments of what is being written."""
        self.builder, self.kinds = builder, kinds

    def long(self, value: int) -> Any:
        return ir.Constant(LONG, value)

    def load(self, kind: Any, address: Any, offset: Any) -> Any:
        """Loads the value of this kind at address + offset."""
        value = self.builder.load(self._pointer(kind, address, offset))
        value.align = 1
        return value

    def store(self, value: Any, address: Any, offset: Any) -> None:
        """Stores a value at address + offset."""
        self.builder.store(value, self._pointer(value.type, address, offset)).align = 1

    def fetch(self, address: Any, to_write: bool = False) -> None:
        """Asks for the line of memory at an address: into a core's second cache, or its first, to be written to."""
        hints = (1, 3, 1) if to_write else (0, 2, 1)  # to write; how near, 3 the nearest; data
        pointer = self.builder.inttoptr(address, BYTE.as_pointer())
        self.call("llvm.prefetch.p0i8", ir.VoidType(), pointer, *[ir.Constant(INTEGER, hint) for hint in hints])

    def apart(self, address: Any, row: Any, count: int, first: Any = None) -> list[Any]:
        """So many addresses, so many bytes apart; from the first of them on, if that is not the one given."""
        if first is not None:
            address = self.builder.add(address, self.builder.mul(row, first))
        return [self.builder.add(address, self.builder.mul(row, self.long(number))) for number in range(count)]

    def parts(self, value: Any) -> list[Any]:
        """The parts of a tuple."""
        kinds = value.type
        count = kinds.count if isinstance(kinds, ir.ArrayType) else len(kinds.elements)
        return [self.builder.extract_value(value, number) for number in range(count)]

    def everywhere(self, value: Any) -> Any:
        """A vector with the value in every lane."""
        vector = ir.VectorType(value.type, LANES)
        undefined = ir.Constant(vector, ir.Undefined)
        first = self.builder.insert_element(undefined, value, ir.Constant(INTEGER, 0))
        return self.builder.shuffle_vector(first, undefined, ir.Constant(INTEGERS, [0] * LANES))

    def halves(self, vector: Any) -> list[Any]:
        """The first half of a vector's lanes, and the second."""
        parts = range(LANES // 2), range(LANES // 2, LANES)
        return [self.mixed(vector, vector, part) for part in parts]

    def joined(self, first: Any, last: Any) -> Any:
        """The vector of two halves."""
        return self.mixed(first, last, range(LANES))

    def mixed(self, one: Any, other: Any, chosen: Iterable[int]) -> Any:
        """Numbers of two vectors, the other's after the one's."""
        return self.builder.shuffle_vector(one, other, _lanes(chosen))

    def transposed(self, rows: list[Any]) -> list[Any]:
        """N vectors, each of one or more times N numbers → the transposes of the matrices that they hold side by side.

        Of blocks of 1, 2, 4 … numbers, those beside the diagonal change places.
        """
        rows, lanes, size = list(rows), rows[0].type.count, 1
        while size < len(rows):
            first = [place if not place & size else lanes + place - size for place in range(lanes)]
            second = [place + size if not place & size else lanes + place for place in range(lanes)]
            for one in range(len(rows)):
                if not one & size:
                    both = rows[one], rows[one + size]
                    rows[one], rows[one + size] = self.mixed(*both, first), self.mixed(*both, second)
            size *= 2
        return rows

    def larger(self, one: Any, other: Any) -> Any:
        """Lane by lane, the larger number of two vectors; of a NaN the other one's."""
        return self.builder.select(self.builder.fcmp_ordered(">", one, other), one, other)

    def folded(self, vector: Any, both: Callable[[Any, Any], Any]) -> Any:
        """Its lanes made one number, half by half: both(a, b), of vectors and at last of numbers."""
        while vector.type.count > 2:
            half = vector.type.count // 2
            parts = range(half), range(half, 2 * half)
            vector = both(*(self.mixed(vector, vector, part) for part in parts))
        return both(*(self.builder.extract_element(vector, ir.Constant(INTEGER, lane)) for lane in range(2)))

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
        return self.call("llvm.fmuladd.v16f32", REALS, factor, numbers, total)

    @contextmanager
    def each(self, count: Any) -> Generator[Any]:
        """A loop: what is written in the block is done for an index from 0 to count - 1, which is given; count ≥ 1."""
        builder = self.builder
        before, loop, end = builder.block, builder.append_basic_block(), builder.append_basic_block()
        builder.branch(loop)
        builder.position_at_end(loop)
        index = builder.phi(LONG)
        yield index
        following = builder.add(index, self.long(1))
        index.add_incoming(self.long(0), before)
        index.add_incoming(following, builder.block)
        builder.cbranch(builder.icmp_signed("<", following, count), loop, end)
        builder.position_at_end(end)

    def repeat(self, count: Any, begin: list[Any], body: Callable[[Any, list[Any]], list[Any]]) -> list[Any]:
        """body(index, values) → the next values, from `begin`, for an index from 0 to count - 1; count ≥ 1."""
        before = self.builder.block
        with self.each(count) as index:
            values = [self.builder.phi(value.type) for value in begin]
            following = body(index, values)
            for phi, first, later in zip(values, begin, following, strict=True):
                phi.add_incoming(first, before)
                phi.add_incoming(later, self.builder.block)
        return following

    def fetch_rows(self, address: Any, row: Any, count: Any) -> None:
        """Asks for lines of memory so many bytes apart; count ≥ 1."""
        with self.each(count) as number:
            self.fetch(self.builder.add(address, self.builder.mul(number, row)))

    def _pointer(self, kind: Any, address: Any, offset: Any) -> Any:
        return self.builder.inttoptr(self.builder.add(address, offset), kind.as_pointer())


def _lanes(numbers: Iterable[int]) -> Any:
    chosen = list(numbers)
    return ir.Constant(ir.VectorType(INTEGER, len(chosen)), chosen)


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
