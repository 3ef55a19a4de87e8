"""The cache of machine code: kernels are called from files, without the compiler that made them.

Most processes compile nothing, because a kernel's machine code is on disk already. Loading Numba and LLVM to find and
call it would take half of the memory that translating takes, and most of the time until the first sentence.

A file (`stored`) is named by everything that its code depends on: the contents of all sources (`sources`), the CPU,
the versions of Python, Numba, llvmlite and NumPy, and the kinds of the arguments (`kinds`). It begins with a digest
of its name and its content, and a file that doesn't match is deleted and compiled anew. Files lie in a folder
(`folders`) beside the sources or in the user's cache, and only where nobody but this user and root can write
(`trust`); Windows has other permissions, and there nothing is asked. `sweep` deletes what has not been used for long.

To call a kernel, its object file is read, its sections are brought into memory and the addresses that they refer to
are written into them (`object_file`); its wrapper takes Python's arguments apart with a few C functions of Numba's,
which are loaded alone (`surroundings`). This is known for ELF on Linux and x86-64. Elsewhere, and for an object file
of unknown form, Numba is loaded and keeps a cache of its own in the same kind of folder (`by_numba`).

A kernel that Python calls therefore fills arrays and returns numbers: to make an array for Python would take all of
Numba.
"""

import platform
import sys
from pathlib import Path
from typing import Any

from polyhead.kernels.code import surroundings
from polyhead.kernels.code.object_file import Loaded, UnknownForm
from polyhead.kernels.code.stored import read


def is_known() -> bool:
    """Whether this machine's object files are."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def called(place: Path, name: str) -> Any:
    """The code in a file as a function in Python; None if there is none, or none that can be called without Numba."""
    found = read(place)
    if found is None:
        return None
    try:
        around = surroundings.environment()
        loaded = Loaded(found.file, surroundings.address, {found.surroundings: id(around)})
        return surroundings.function(name, loaded.address(found.entry), around, loaded)
    except (UnknownForm, LookupError, AttributeError, ImportError):  # the last two, of a Numba that is built otherwise
        return None
