"""What machine code from files calls, with Numba and without the rest of it."""

import ctypes
import gc
import json
import subprocess
import sys
import weakref
from typing import Any

import pytest

from polyhead.kernels import code
from polyhead.kernels.code import numba_runtime

pytestmark = pytest.mark.skipif(not code.is_supported(), reason="this system's object files are not known")

WITHOUT_NUMBA = """
import json, sys
from polyhead.kernels.code import numba_runtime
names = json.loads(sys.argv[1])
found = [numba_runtime.address(name) != 0 for name in names]
print(json.dumps([found, type(numba_runtime.environment()).__name__, "numba" in sys.modules]))
"""
NAMES = ["NRT_Allocate", "NRT_MemInfo_release", "numba_unpickle", "PyErr_SetString", "PyExc_IndexError"]


class Kept:
    """Something that a function keeps."""


def test_addresses_are_those_of_python_and_of_numba() -> None:
    from numba.core.runtime import _nrt_python

    assert numba_runtime.address("NRT_Allocate") == _nrt_python.c_helpers["Allocate"]
    error = ctypes.cast(ctypes.pythonapi.PyErr_SetString, ctypes.c_void_p).value
    assert numba_runtime.address("PyErr_SetString") == error


def test_a_name_that_is_nowhere_is_said() -> None:
    with pytest.raises(LookupError, match="there is no no_such_function"):
        numba_runtime.address("no_such_function")


def test_the_rest_of_numba_is_not_loaded() -> None:
    command = [sys.executable, "-c", WITHOUT_NUMBA, json.dumps(NAMES)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [[True] * len(NAMES), "Environment", False]


def test_code_at_an_address_is_called_as_a_function_and_keeps_what_it_needs() -> None:
    @ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    def entry(_closure: int, given: tuple[Any, ...], _named: int) -> tuple[Any, ...]:
        return given[::-1]

    kept = Kept()
    gone = weakref.ref(kept)
    place = ctypes.cast(entry, ctypes.c_void_p).value
    assert place is not None
    turned = numba_runtime.function("turned", place, numba_runtime.environment(), kept)
    del kept
    gc.collect()
    assert (turned.__name__, turned(1, "a", None)) == ("turned", (None, "a", 1))
    assert gone() is not None
    del turned
    gc.collect()
    assert gone() is None
