"""Functions that become machine code: from a file if there is one, else by the compiler."""

from collections.abc import Callable
from functools import cached_property, update_wrapper
from pathlib import Path
from typing import Any, TypeVar, cast

from polyhead.kernels import code
from polyhead.kernels.code import by_numba, object_files
from polyhead.kernels.code.compile_lock import compile_lock
from polyhead.kernels.code.kinds import Kind, kind_of, named
from polyhead.kernels.code.sources import are_unchanged
from polyhead.kernels.compiler import WITHIN, announcement, binding, compiling, numba
from polyhead.kernels.part import part

F = TypeVar("F", bound=Callable[..., Any])


class Kernel:
    """A function as machine code, for every kind of its arguments."""

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._calls: dict[Kind, Callable[..., Any]] = {}
        self._named: dict[str, Callable[..., Any]] = {}

    def __call__(self, *given: Any) -> Any:
        kinds = tuple(map(kind_of, given))
        call = self._calls.get(kinds)
        if call is None:
            call = self._calls[kinds] = self._called(named((tuple, *kinds)), given)
        return call(*given)

    @cached_property
    def dispatcher(self) -> Any:
        """The function as Numba compiles it for Python to call."""
        found = numba.njit(nogil=True, no_cfunc_wrapper=True, **WITHIN)(self._function)
        if not code.is_supported():
            by_numba.let_keep(found, self._source, numba.config)
        return found

    @cached_property
    def part(self) -> Any:
        """The function as Numba compiles it for kernels to call."""
        return part(self._function)

    @property
    def _numba_type_(self) -> Any:
        with compiling:
            return self.part._numba_type_

    def cache_file(self, kinds: str) -> Path | None:
        """The file for arguments of these kinds; None if there can be none.

        A function within another, or without a name, may be one of several at the same place in the source.
        """
        if not code.is_supported() or "<" in self._function.__qualname__:
            return None
        return object_files.file_of(self._source, self._function.__qualname__, kinds)

    @property
    def _source(self) -> Path:
        return Path(self._function.__code__.co_filename)

    def _called(self, kinds: str, given: tuple[Any, ...]) -> Callable[..., Any]:
        if kinds not in self._named:
            path = self.cache_file(kinds)
            self._named[kinds] = self._loaded(path) or self._made(path, given)
        return self._named[kinds]

    def _loaded(self, path: Path | None) -> Callable[..., Any] | None:
        return code.load(path, self._function.__name__) if path is not None else None

    def _made(self, path: Path | None, given: tuple[Any, ...]) -> Callable[..., Any]:
        """The function compiled here, or loaded after another process that is compiling it now has finished."""
        with compiling:
            if path is None:
                return self._compiled(path, given)
            with compile_lock(path, announcement.say):
                return self._loaded(path) or self._compiled(path, given)

    def _compiled(self, path: Path | None, given: tuple[Any, ...]) -> Callable[..., Any]:
        types = tuple(numba.typeof(each) for each in given)
        self.dispatcher.compile(types)
        found = self.dispatcher.overloads[types]
        kept = not found.environment.consts  # constants that are Python objects are not in its file
        if path is not None and kept and are_unchanged(self._source.parent):
            _, _, (file, _) = found.library.serialize_using_object_code()
            names = found.fndesc.llvm_cpython_wrapper_name, found.fndesc.env_name
            object_files.write(path, object_files.ObjectFile(*names, _needs(found.library), file))
        return found.entry_point


def _needs(library: Any) -> tuple[str, ...]:
    """What a compiled library refers to that is not in it; LLVM's intrinsics are no symbols."""
    module = binding.parse_assembly(library.get_llvm_str())
    named = (each for each in (*module.functions, *module.global_variables) if each.is_declaration)
    return tuple(sorted(each.name for each in named if not each.name.startswith("llvm.")))


def kernel(function: F) -> F:
    """The function compiled when it is first called, for this CPU, without the interpreter's lock.

    Machine code is kept in files (`kernels.code`); where it can't be, every process compiles anew. From Python a kernel
    takes positional arguments alone.
    """
    return cast("F", Kernel(function))
