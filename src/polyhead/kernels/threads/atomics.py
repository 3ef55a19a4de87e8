"""Numbers in memory that several threads read and change at the same time, and functions called by their address."""

import platform
from typing import Any

from polyhead.hardware import X86
from polyhead.kernels.compiler import intrinsic, ir, types
from polyhead.kernels.llvm import ADDRESS, COUNT, I32, I64, Code, instructions

WORD = 8
"""How many bytes a number has."""


def _pointer(builder: Any, address: Any) -> Any:
    return builder.inttoptr(address, I64.as_pointer())


@instructions(ADDRESS, result=COUNT)
def load(code: Code, address: Any) -> Any:
    """The number at an address, as the last thread that stored one there has left it."""
    return code.builder.load_atomic(_pointer(code.builder, address), "acquire", WORD)


@instructions(ADDRESS, COUNT)
def store(code: Code, address: Any, number: Any) -> None:
    """Stores a number at an address: a thread that loads it also sees all that this thread has written before."""
    code.builder.store_atomic(number, _pointer(code.builder, address), "release", WORD)


@instructions(ADDRESS, COUNT, COUNT, result=COUNT)
def swap(code: Code, address: Any, old: Any, new: Any) -> Any:
    """Compare and swap: the number found at an address. If it was `old`, it is `new` now; no thread came between."""
    builder = code.builder
    found = builder.cmpxchg(_pointer(builder, address), old, new, "seq_cst", "seq_cst")
    return builder.extract_value(found, 0)


@instructions()
def pause(code: Code) -> None:
    """Lets a waiting core rest for a moment, by an instruction that only x86 has; elsewhere it does nothing."""
    builder = code.builder
    name = "llvm.x86.sse2.pause"
    if platform.machine() in X86:
        function = builder.module.globals.get(name)
        if function is None:
            function = ir.Function(builder.module, ir.FunctionType(ir.VoidType(), []), name)
        builder.call(function, [])


_TASK = ir.FunctionType(ir.VoidType(), [I64, I64, I64, I64])


def task(function: Any) -> Any:
    """A kernel, function(member, first, last, given) → given ↦ two numbers by which any thread can call it.

    They are valid as long as the kernel in which they are made runs and that kernel's caller keeps what is given. An
    error of the function does not reach the thread that calls it: `has_failed` says whether it has raised any.
    """

    @intrinsic
    def made(typing_context: Any, given: Any) -> Any:
        called = function._numba_type_.get_call_type(typing_context, (types.intp, types.intp, types.intp, given), {})

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            compiled, (given,) = function.part.overloads[called.args], arguments
            context.active_code_library.add_linking_library(compiled.library)
            shared = ir.Function(builder.module, _TASK, builder.module.get_unique_name("task"))
            shared.linkage = "internal"
            inner = ir.IRBuilder(shared.append_basic_block())
            place, *numbers = shared.args
            kept = ir.LiteralStructType([I64, given.type])
            failed, of_given = _fields(inner, inner.inttoptr(place, kept.as_pointer()))
            status, _ = context.call_internal_no_propagate(
                inner, compiled.fndesc, called, [*numbers, inner.load(of_given)]
            )
            with inner.if_then(status.is_error, likely=False):
                inner.store_atomic(ir.Constant(I64, 1), failed, "monotonic", WORD)
            inner.ret_void()
            with builder.goto_entry_block():
                memory = builder.alloca(kept)
            failed, of_given = _fields(builder, memory)
            builder.store(ir.Constant(I64, 0), failed)
            builder.store(given, of_given)
            both = [builder.ptrtoint(each, I64) for each in (shared, memory)]
            return context.make_tuple(builder, signature.return_type, both)

        return types.UniTuple(types.intp, 2)(given), generate

    return made


def _fields(builder: Any, place: Any) -> list[Any]:
    """The addresses of the mark that something has failed, and of what is given."""
    zero = ir.Constant(I32, 0)
    return [builder.gep(place, [zero, ir.Constant(I32, number)], inbounds=True) for number in range(2)]


@instructions((COUNT, COUNT), result=COUNT)
def has_failed(code: Code, task: Any) -> Any:
    """Whether any call of what `task` made has raised an error; not 0 if so."""
    place = code.builder.extract_value(task, 1)
    return code.builder.load_atomic(_pointer(code.builder, place), "monotonic", WORD)


@instructions((COUNT, COUNT), COUNT, COUNT, COUNT)
def call(code: Code, task: Any, member: Any, first: Any, last: Any) -> None:
    """Calls what `task` made, for the numbers first … last - 1."""
    builder = code.builder
    function, given = (builder.extract_value(task, place) for place in range(2))
    builder.call(builder.inttoptr(function, _TASK.as_pointer()), [given, member, first, last])
