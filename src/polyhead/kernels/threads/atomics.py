"""Numbers in memory that several threads read and change at the same time, and functions called by their address."""

import platform
from typing import Any

from polyhead.kernels.compiler import intrinsic, ir, typed, types
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGER, LONG

WORD = 8
"""Bytes of a number."""


def _pointer(builder: Any, address: Any) -> Any:
    return builder.inttoptr(address, LONG.as_pointer())


@intrinsic
def load(typing_context: Any, address: Any) -> Any:
    """The number at an address, as the last of all threads has left it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_pointer(builder, arguments[0]), "acquire", WORD)

    return typed(COUNT, ADDRESS), generate


@intrinsic
def store(typing_context: Any, address: Any, number: Any) -> Any:
    """Puts a number there: who finds it finds all that this thread has written before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, number = arguments
        builder.store_atomic(number, _pointer(builder, address), "release", WORD)
        return context.get_dummy_value()

    return typed("void", ADDRESS, COUNT), generate


@intrinsic
def swap(typing_context: Any, address: Any, old: Any, new: Any) -> Any:
    """What was there; if that is `old`, then `new` is there now, and no other thread has come between."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, old, new = arguments
        found = builder.cmpxchg(_pointer(builder, address), old, new, "seq_cst", "seq_cst")
        return builder.extract_value(found, 0)

    return typed(COUNT, ADDRESS, COUNT, COUNT), generate


_X86 = {"x86_64", "AMD64", "i686"}
"""Machines with an instruction that lets a waiting core rest; others wait without."""


@intrinsic
def pause(typing_context: Any) -> Any:
    """What a thread does between two looks at a number that another one will change."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        name = "llvm.x86.sse2.pause"
        if platform.machine() in _X86:
            function = builder.module.globals.get(name)
            if function is None:
                function = ir.Function(builder.module, ir.FunctionType(ir.VoidType(), []), name)
            builder.call(function, [])
        return context.get_dummy_value()

    return typed("void"), generate


_TASK = ir.FunctionType(ir.VoidType(), [LONG, LONG, LONG, LONG])


def task(function: Any) -> Any:
    """A kernel, function(member, first, last, given) → given ↦ two numbers by which any thread can call it.

    They hold as long as the kernel runs in which they are made, and as whoever calls that one keeps what is given.
    What the kernel raises does not reach the thread that calls it: `has_failed` says whether it has raised anything.
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
            kept = ir.LiteralStructType([LONG, given.type])
            failed, of_given = _fields(inner, inner.inttoptr(place, kept.as_pointer()))
            status, _ = context.call_internal_no_propagate(
                inner, compiled.fndesc, called, [*numbers, inner.load(of_given)]
            )
            with inner.if_then(status.is_error, likely=False):
                inner.store_atomic(ir.Constant(LONG, 1), failed, "monotonic", WORD)
            inner.ret_void()
            with builder.goto_entry_block():
                room = builder.alloca(kept)
            failed, of_given = _fields(builder, room)
            builder.store(ir.Constant(LONG, 0), failed)
            builder.store(given, of_given)
            both = [builder.ptrtoint(each, LONG) for each in (shared, room)]
            return context.make_tuple(builder, signature.return_type, both)

        return types.UniTuple(types.intp, 2)(given), generate

    return made


def _fields(builder: Any, place: Any) -> list[Any]:
    """Where it is written that something has failed, and what is given."""
    zero = ir.Constant(INTEGER, 0)
    return [builder.gep(place, [zero, ir.Constant(INTEGER, number)], inbounds=True) for number in range(2)]


@intrinsic
def has_failed(typing_context: Any, task: Any) -> Any:
    """Whether any call of what `task` made has raised an error; not 0 if so."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = builder.extract_value(arguments[0], 1)
        return builder.load_atomic(_pointer(builder, place), "monotonic", WORD)

    return typed(COUNT, types.UniTuple(types.intp, 2)), generate


@intrinsic
def call(typing_context: Any, task: Any, member: Any, first: Any, last: Any) -> Any:
    """Calls what `task` made."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        both, *numbers = arguments
        function, given = (builder.extract_value(both, place) for place in range(2))
        builder.call(builder.inttoptr(function, _TASK.as_pointer()), [given, *numbers])
        return context.get_dummy_value()

    return typed("void", types.UniTuple(types.intp, 2), COUNT, COUNT, COUNT), generate
