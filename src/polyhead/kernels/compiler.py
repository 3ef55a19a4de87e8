"""Numba and LLVM, which are imported when something has to be compiled: most processes never load them.

They have no types that a type checker could follow, so they are `Any` here.
"""

import logging
from collections.abc import Callable
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any, TypeVar

from polyhead.hardware import WITHOUT
from polyhead.kernels.checked import CHECKED, refuse_negative_indices

F = TypeVar("F", bound=Callable[..., Any])


class _Later(ModuleType):
    """A module that is imported when something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        _begin()
        return getattr(import_module(self.__name__), name)


numba: Any = _Later("numba")
types: Any = _Later("numba.types")
extending: Any = _Later("numba.extending")
cgutils: Any = _Later("numba.core.cgutils")
codegen: Any = _Later("numba.core.codegen")
event: Any = _Later("numba.core.event")
pipeline: Any = _Later("numba.core.compiler")
registry: Any = _Later("numba.core.registry")
binding: Any = _Later("llvmlite.binding")
ir: Any = import_module("llvmlite.ir")

MATHS = {"reassoc", "contract", "arcp", "nsz"}
"""LLVM's fast-math flags that let sums be taken in any order, to vectorise them; infinities and NaN stay intact."""

WITHIN: dict[str, Any] = {"error_model": "numpy", "fastmath": MATHS, "forceinline": True}
"""Numba's options for everything that is compiled. What a kernel calls is inlined: else two kernels that call the same
one may each have it in another form, with sums in another order, and which form runs would depend on what a process
compiled or loaded before."""

compiling = RLock()
"""The lock by which one thread at a time compiles."""
_registrations: list[Callable[[], object]] = []
"""Functions that register something with Numba, to be called when it is imported; empty afterwards."""
_begun = False


def _begin() -> None:
    """Prepares Numba when it is first used: sets it up and calls all registrations."""
    global _begun
    with compiling:
        if _begun:
            return
        _begun = True
        if WITHOUT:  # else Numba asks the CPU
            found = import_module("llvmlite.binding").get_host_cpu_features()
            numba.config.CPU_FEATURES = ",".join(
                ("+" if has and not name.startswith(WITHOUT) else "-") + name for name, has in found.items()
            )
        if CHECKED:
            refuse_negative_indices()
        event.Listener.register(Announcement)
        event.register("numba:compile", announcement)
        while _registrations:
            _registrations.pop(0)()


def when_compiling(register: Callable[[], object]) -> None:
    """Calls `register` when Numba is first used, or at once if it has been already."""
    if _begun:
        register()
    else:
        _registrations.append(register)


class Instruction:
    """What kernels call and only a compiler knows: LLVM's instructions, made when a kernel is compiled."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__doc__, self._function = function.__doc__, function
        when_compiling(self._define)

    def _define(self) -> None:
        self._defined = extending.intrinsic(self._function)

    @property
    def _numba_type_(self) -> Any:
        context = registry.cpu_target.typing_context
        context.refresh()
        return context.resolve_value_type(self._defined)


def intrinsic(function: Callable[..., Any]) -> Any:
    """What kernels can call, made of function(typing context, kinds …) → (its types, what writes its instructions)."""
    return Instruction(function)


def overload(function: Callable[..., Any], **options: Any) -> Callable[[F], F]:
    """Decorates a function from kinds of arguments to the function that kernels compile in place of `function`."""

    def decorate(chosen: F) -> F:
        when_compiling(lambda: extending.overload(function, **options)(chosen))
        return chosen

    return decorate


def typed(result: Any, *arguments: Any) -> Any:
    """A function's signature, from Numba's types of its result and arguments or from their names."""
    found = [getattr(types, each) if isinstance(each, str) else each for each in (result, *arguments)]
    return found[0](*found[1:])


class Announcement:
    """Says once in a process that kernels are compiled, and so why there is a pause; cached kernels need none."""

    said = False

    def notify(self, event: Any) -> None:
        """Numba begins or ends to compile a kernel."""
        self.say()

    def say(self) -> None:
        """Logs the message, once. To be called where this process compiles, or waits for another that does."""
        if not self.said:
            self.said = True
            logging.getLogger(__name__).info(
                "compiling for this CPU, which takes about half a minute, once; longer on a slow or busy one"
            )


announcement = Announcement()
