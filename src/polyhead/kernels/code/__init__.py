"""Machine code from files, called without the compiler that made it.

Most processes compile nothing: what a kernel was compiled to is on the disk already. To find it there and to call it,
Numba and LLVM would take half of all the memory that translating takes, and most of the time until the first sentence.
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
