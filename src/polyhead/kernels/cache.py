"""Machine code from the cache without what only a compiler needs: most processes compile nothing.

With a kernel's machine code Numba keeps LLVM's own form of it, for other kernels to be linked with, and reads both; and
it fills its tables of all functions and types that it knows. That takes more memory and time than the code itself. Here
LLVM's form is read when a kernel is linked with it, and the tables are filled when one is compiled, as Numba does then
anyway. Numba's own few functions, which count who uses an array and which it compiles in each process, come from the
cache too.
"""

from importlib import import_module
from typing import Any

binding: Any = import_module("llvmlite.binding")
caching: Any = import_module("numba.core.caching")
runtime: Any = import_module("numba.core.runtime")
counting: Any = import_module("numba.core.runtime.nrtdynmod")


class _Kernel(caching.CompileResultCacheImpl):
    """How a kernel is written and read: as Numba does, but for its library."""

    def reduce(self, cres: Any) -> Any:
        """A compiled kernel → what is written."""
        state, *rest = super().reduce(cres)
        return (_divided(cres.library, state), *rest)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """What is written → the kernel."""
        state, *rest = payload
        light, linked = _without_form(state)
        found = super().rebuild(target_context, (light, *rest))
        _read_later(found.library, linked)
        return found


class KernelCache(caching.FunctionCache):
    """Of one kernel."""

    _impl_class = _Kernel

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for those types, if it is there."""
        runtime.rtsys.initialize(target_context)  # what machine code calls
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class _Library(caching.CacheImpl):
    """How a library of functions is written and read."""

    def reduce(self, data: Any) -> Any:
        """A library → what is written."""
        return _divided(data, data.serialize_using_object_code())

    def rebuild(self, target_context: Any, reduced_data: Any) -> Any:
        """What is written → the library."""
        light, linked = _without_form(reduced_data)
        found = target_context.codegen().unserialize_library(light)
        _read_later(found, linked)
        return found

    def check_cachable(self, data: Any) -> bool:
        """Always."""
        return True


class _LibraryCache(caching.Cache):
    """Of Numba's own functions."""

    _impl_class = _Library

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The library, if it is there."""
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def counting_functions(target_context: Any) -> Any:
    """Numba's functions that count who uses an array, as a library of their own."""
    try:
        cache: Any = _LibraryCache(counting_functions)
    except RuntimeError:  # no directory that a cache could be in
        cache = caching.NullCache()
    found = cache.load_overload("", target_context)
    if found is None:
        module, found = counting.create_nrt_module(target_context)
        found.enable_object_caching()
        found.add_ir_module(module)
        found.finalize()
        cache.save_overload("", found)
    return found


counting.compile_nrt_functions = counting_functions  # which Numba calls once in a process, and compiles them each time


def _divided(library: Any, state: Any) -> Any:
    """A library as Numba writes it → with LLVM's form in two parts. The first has the names in it alone."""
    name, kind, (code, linked) = state
    return name, kind, (code, _names_alone(library), linked)


def _without_form(state: Any) -> tuple[Any, bytes | None]:
    """What is written → the same as Numba reads it, with the names alone; and LLVM's form, if it is apart."""
    name, kind, (code, *names, linked) = state
    return (name, kind, (code, *(names or [linked]))), linked if names else None


def _names_alone(library: Any) -> bytes:
    """A module that defines the same names and nothing else: all that Numba looks for when it loads machine code."""
    module = library._get_module_for_linking()
    functions = [f'define void @"{each.name}"() {{ unreachable }}' for each in module.functions if _is_defined(each)]
    variables = [f'@"{each.name}" = global i8 0' for each in module.global_variables if _is_defined(each)]
    return binding.parse_assembly("\n".join([*functions, *variables])).as_bitcode()


def _is_defined(value: Any) -> bool:
    return not value.is_declaration


def _read_later(library: Any, linked: bytes | None) -> None:
    """Has a library read LLVM's form of it, if there is one apart from the names, when another is linked with it."""
    if linked is None:
        return
    library._shared_module = None

    def read() -> Any:
        if library._shared_module is None:
            library._shared_module = binding.parse_bitcode(linked)
        return library._shared_module

    library._get_module_for_linking = read
