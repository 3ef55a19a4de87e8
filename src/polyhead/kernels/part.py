"""Functions that only kernels call: parts of them, which never become machine code of their own.

By itself Numba would optimise and assemble each function with all that it calls, at every level of calls, which takes
more than half of the time to compile. Only the kernel that Python calls is assembled, with all its parts within it.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from polyhead.kernels.compiler import WITHIN, codegen, extending, numba, pipeline, when_compiling


def part(function: Callable[..., Any]) -> Any:
    """The function as a part: compiled by Numba for kernels to call."""
    return numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_compiler(), **WITHIN)(function)


def by_class(functions: Mapping[type, Callable[..., Any]]) -> Callable[..., Any]:
    """The function (value, *others) that calls the function for the value's class, a tuple class, with the others.

    It is for kernels to call. Which function is called is known when the kernel that calls it is compiled.
    """

    def called(value: Any, *others: Any) -> Any:
        return functions[type(value)](*others)

    def of_class(value: Any, *others: Any) -> Callable[..., Any]:
        function = functions[value.instance_class]

        def chosen(value: Any, *others: Any) -> Any:
            return function(*others)

        return chosen

    def register() -> None:
        options = {**WITHIN, "pipeline_class": _compiler()}
        extending.overload(called, strict=False, jit_options=options)(of_class)  # they differ in annotations alone

    when_compiling(register)
    return called


class _Nowhere:
    """Stands in for the engine that runs machine code: parts are never run by themselves."""

    def set_env(self, name: str, environment: Any) -> None:
        """Does nothing: a part is never run, so it needs no environment."""


@cache
def _compiler() -> Any:
    """Numba's compiler, which leaves out the last steps: parts are neither optimised nor assembled."""

    class Library(codegen.JITCodeLibrary):
        codegen = _Nowhere()

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()
            return 0

        def _optimize_final_module(self) -> None:
            """Does nothing: a part is optimised with the kernel that it is in."""

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

    class Compiler(pipeline.Compiler):
        def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
            super().__init__(typing, target, Library(target.codegen(), "part"), *others)

    return Compiler
