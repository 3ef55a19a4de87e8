"""Functions that only kernels call: parts of them, which never become machine code of their own.

Numba would optimise and assemble each with all that it calls, at every level that functions call each other: more than
half of the time that compiling takes. What is assembled is the kernel that Python calls, with all its parts within it.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from polyhead.kernels.compiler import WITHIN, codegen, extending, numba, pipeline, when_compiling


def part(function: Callable[..., Any]) -> Any:
    """The function to Numba, for kernels to call."""
    return numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_compiler(), **WITHIN)(function)


def by_class(functions: Mapping[type, Callable[..., Any]]) -> Callable[..., Any]:
    """For kernels to call: (value, *others) ↦ what the function for the value's class, a tuple's, gives for the others.

    Which function that is, is known when the kernel that calls it is compiled.
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
        """What surrounds a function is only known to code that is there."""


@cache
def _compiler() -> Any:
    """Numba's compiler, which leaves out the last steps: parts are neither optimised nor assembled."""

    class Library(codegen.JITCodeLibrary):
        codegen = _Nowhere()

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()
            return 0

        def _optimize_final_module(self) -> None:
            """Nothing: a part is optimised with the kernel that it is in."""

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

    class Compiler(pipeline.Compiler):
        def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
            super().__init__(typing, target, Library(target.codegen(), "part"), *others)

    return Compiler
