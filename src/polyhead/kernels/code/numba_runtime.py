"""What machine code calls that is not in it: Python itself, the system's libraries, and Numba's own functions in C.

Numba's functions are in modules in C that need nothing of the rest of Numba.
"""

import ctypes
import sys
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any


@cache
def _module(name: str) -> Any:
    """One of Numba's modules in C, without the rest of Numba."""
    if "numba" in sys.modules:  # all of Numba is loaded or being loaded, with these modules
        return import_module(name)
    package, *folders, _ = name.split(".")
    found = find_spec(package)
    places = [str(Path(place, *folders)) for place in (found and found.submodule_search_locations) or []]
    spec = PathFinder.find_spec(name, places)
    if spec is None or spec.loader is None:
        raise LookupError(f"there is no {name}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def address(name: str) -> int:
    """The address of a function or a variable. Raises LookupError where there is none of this name."""
    counting, helping = (_module(each).c_helpers for each in ("numba.core.runtime._nrt_python", "numba._helperlib"))
    if name.startswith("NRT_"):
        return counting[name.removeprefix("NRT_")]
    if name.startswith("numba_"):
        return helping[name.removeprefix("numba_")]
    if name in helping:  # a function of mathematics: the same that Numba takes
        return helping[name]
    try:
        return ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, name))
    except ValueError:
        raise LookupError(f"there is no {name}") from None


def environment() -> Any:
    """An `Environment`, which every function of Numba's has, and needs where it makes objects that are not numbers."""
    return _module("numba._dynfunc").Environment({})


def function(name: str, code_address: int, environment: Any, kept: Any) -> Any:
    """The code at an address as a function in Python, which keeps `kept` alive as long as it lives."""
    return _module("numba._dynfunc").make_function(sys.modules[__name__], name, "", code_address, environment, kept)
