"""Numba and LLVM, which come when something has to be compiled: most processes never load them.

They have no types that a checker could follow: here they are `Any`.
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
"""Sums in any order, so that they are vectorised; infinities and NaN stay what they are."""

WITHIN: dict[str, Any] = {"error_model": "numpy", "fastmath": MATHS, "forceinline": True}
"""How everything is compiled. What a kernel calls is part of it: else two kernels that call the same one may each have
it in another form, with sums in another order, and which runs depends on what a process compiled or loaded before."""

compiling = RLock()
"""One thread at a time."""
_registrations: list[Callable[[], object]] = []
"""What Numba is to be told when it comes; empty afterwards."""
_begun = False


def _begin() -> None:
    """Numba comes, and is told what it has to know."""
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
    """Calls it when Numba has come."""
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
    """function(typing context, kinds …) → (its types, what makes the instructions), for kernels to call."""
    return Instruction(function)


def overload(function: Callable[..., Any], **options: Any) -> Callable[[F], F]:
    """What a function in Python is in kernels: kinds of arguments → the function that is compiled in its place."""

    def decorate(chosen: F) -> F:
        when_compiling(lambda: extending.overload(function, **options)(chosen))
        return chosen

    return decorate


def typed(result: Any, *arguments: Any) -> Any:
    """A function's types, from Numba's or their names: result and arguments."""
    found = [getattr(types, each) if isinstance(each, str) else each for each in (result, *arguments)]
    return found[0](*found[1:])


class Announcement:
    """Says, in a process once, why there is a pause: of kernels in the cache there is none."""

    said = False

    def notify(self, event: Any) -> None:
        """Numba begins or ends to compile a kernel."""
        self.say()

    def say(self) -> None:
        """To be called where this process compiles, or waits for another that does."""
        if not self.said:
            self.said = True
            logging.getLogger(__name__).info(
                "compiling for this CPU, which takes about half a minute, once; longer on a slow or busy one"
            )


announcement = Announcement()
