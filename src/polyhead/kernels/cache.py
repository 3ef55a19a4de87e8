"""Machine code from the cache without what only a compiler needs: most processes compile nothing.

With a kernel's machine code Numba keeps LLVM's own form of it, for other kernels to be linked with, and reads both; and
it fills its tables of all functions and types that it knows. That takes more memory and time than the code itself. Here
LLVM's form is read when a kernel is linked with it, and the tables are filled when one is compiled, as Numba does then
anyway.
"""

from importlib import import_module
from typing import Any

binding: Any = import_module("llvmlite.binding")
caching: Any = import_module("numba.core.caching")
runtime: Any = import_module("numba.core.runtime")

MACHINE_CODE = "object"
"""The kind of a cached library that has machine code."""
PARTS = 3
"""Of what is written: the code, the names, LLVM's form."""


class _Reduced(caching.CompileResultCacheImpl):
    """What is written: Numba's own, its library's LLVM form in two parts. The first has the names in it alone."""

    def reduce(self, cres: Any) -> Any:
        """A compiled kernel → what is written."""
        (name, kind, data), *rest = super().reduce(cres)
        if kind == MACHINE_CODE:
            code, linked = data
            data = code, _names_alone(cres.library), linked
        return ((name, kind, data), *rest)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """What is written → the kernel."""
        (name, kind, data), *rest = payload
        if kind != MACHINE_CODE or len(data) != PARTS:  # as Numba writes it, and this package did
            return super().rebuild(target_context, payload)
        code, names, linked = data
        found = super().rebuild(target_context, ((name, kind, (code, names)), *rest))
        _read_later(found.library, linked)
        return found


class KernelCache(caching.FunctionCache):
    """Of one kernel."""

    _impl_class = _Reduced

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for those types, if it is there."""
        runtime.rtsys.initialize(target_context)  # what machine code calls
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def _names_alone(library: Any) -> bytes:
    """A module that defines the same names and nothing else: all that Numba looks for when it loads machine code."""
    module = library._get_module_for_linking()
    functions = [f'define void @"{each.name}"() {{ unreachable }}' for each in module.functions if _is_defined(each)]
    variables = [f'@"{each.name}" = global i8 0' for each in module.global_variables if _is_defined(each)]
    return binding.parse_assembly("\n".join([*functions, *variables])).as_bitcode()


def _is_defined(value: Any) -> bool:
    return not value.is_declaration


def _read_later(library: Any, linked: bytes) -> None:
    """Has a library read LLVM's form of it, in place of the names alone, when another is linked with it."""
    library._shared_module = None

    def read() -> Any:
        if library._shared_module is None:
            library._shared_module = binding.parse_bitcode(linked)
        return library._shared_module

    library._get_module_for_linking = read
