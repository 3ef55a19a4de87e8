"""Object files made to run by LLVM's own loader, which llvmlite brings."""

import ctypes
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from threading import Thread
from typing import Any


def begin() -> None:
    """Opens LLVM's library in a thread, so that a process that has files to read before it calls kernels won't wait."""
    Thread(target=_begin, name="llvm").start()


def _begin() -> None:
    with suppress(ImportError):  # the first kernel meets the same error, and is compiled
        _llvm()


@cache
def _llvm() -> Any:
    """llvmlite's binding, ready for this machine; it takes some 40 MB, and comes when the first kernel is called."""
    binding: Any = import_module("llvmlite.binding")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


class Loaded:
    """The code of an object file, which can be called as long as this object is kept."""

    def __init__(self, file: bytes, needs: Mapping[str, int]) -> None:
        """file: an object file, to the bit as LLVM wrote it on such a machine; needs: name → address of what it lacks.

        A name in the file that neither `needs` nor the process knows ends the process: LLVM's loader raises no error.
        """
        llvm = _llvm()
        for name, address in needs.items():
            llvm.add_symbol(name, address)
        machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(file))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Where a function begins. Raises KeyError if there is none of that name."""
        found = self._engine.get_function_address(name)
        if not found:
            raise KeyError(name)
        return found

    def set_variable(self, name: str, value: int) -> None:
        """Gives a variable of one word its value; a file may have none of that name."""
        if address := self._engine.get_global_value_address(name):
            ctypes.c_size_t.from_address(address).value = value
