"""The cache of machine code: kernels are called from files, without the compiler that made them.

Most processes compile nothing, because a kernel's machine code is on disk already. Loading Numba and LLVM to find and
call it would take half of the memory that translating takes, and most of the time until the first sentence.

A file (`object_files`) is named by everything that its code depends on: the contents of all sources (`sources`), the
CPU, the versions of Python, Numba, llvmlite and NumPy, and the kinds of the arguments (`kinds`). It begins with a
digest of its name and its content, and a file that doesn't match is deleted and compiled anew. Files lie in a folder
(`folders`) beside the sources or in the user's cache, and only where nobody but this user and root can write
(`permissions`); Windows has other permissions, and there nothing is asked. `eviction` deletes what has not been used
for long. Of processes that need the same code at once, one compiles it, as far as the file system has locks
(`compile_lock`).

To call a kernel, its object file is given to LLVM's loader, which llvmlite brings (`loader`); its wrapper takes
Python's arguments apart with a few C functions of Numba's, which are loaded alone (`numba_runtime`). These are the one
thing of Numba's that is not public, so its version has an upper bound. So it is on Linux. Elsewhere, where it has not
been tried, Numba is loaded and keeps a cache of its own in the same kind of folder (`by_numba`).

A kernel that Python calls therefore fills arrays and returns numbers: to make an array for Python would take all of
Numba.
"""

import sys
from pathlib import Path
from typing import Any

from polyhead.kernels.code import numba_runtime
from polyhead.kernels.code.loader import Loaded, begin
from polyhead.kernels.code.object_files import read


def is_supported() -> bool:
    """Whether object files are loaded on this system."""
    return sys.platform == "linux"


def preload() -> None:
    """Begins to load LLVM in a thread; to be called some moments before the first kernel, if there is other work."""
    if is_supported():
        begin()


def load(path: Path, name: str) -> Any:
    """The code in a file as a function in Python; None if there is none, or none that can be called without Numba."""
    found = read(path)
    if found is None:
        return None
    try:
        environment = numba_runtime.environment()
        loaded = Loaded(found.file, {each: numba_runtime.address(each) for each in found.needs})
        loaded.set_variable(found.environment, id(environment))
        return numba_runtime.function(name, loaded.address(found.entry), environment, loaded)
    except (LookupError, AttributeError, ImportError):  # the last two, of a Numba that is built otherwise
        return None
