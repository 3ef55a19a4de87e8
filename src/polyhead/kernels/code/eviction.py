"""Deletes code that is not used any more when new code is written, so that no cache grows for ever.

Whoever uses a file leaves the time on it. Code of other sources, of an older version at the same place, is deleted
soon, as a changed source makes all code anew. Code of these sources stays longer: it may be for another CPU, or for
other arguments.
"""

import os
import re
import shutil
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import time

SUFFIX = ".code"
DAY = 24 * 60 * 60
"""How many seconds a day has."""
UNUSED, SUPERSEDED, ABANDONED = 90 * DAY, 7 * DAY, DAY
"""Seconds without use after which code of these sources is deleted, code of others, and a file that is unfinished."""
BY_NUMBA = "numba-"
"""How the names of the folders begin in which Numba keeps what it has compiled, where it has to do so itself. Digits of
the sources' digest follow."""
_FOLDER = re.compile(BY_NUMBA + "[0-9a-f]{16}")


def mark_used(file: Path) -> None:
    """Leaves the time of its use on a file, once a day; a file that this user may not change stays as it is."""
    with suppress(OSError):
        if time() - file.stat().st_mtime > DAY:
            os.utime(file)


@cache
def sweep(folder: Path, sources: str) -> None:
    """Deletes what is old in a folder, once in a process; `sources`: digits of the digest of today's sources."""
    with suppress(OSError):
        for file in list(folder.iterdir()):
            with suppress(OSError):
                if _is_over(file, sources):
                    _delete(file)


def _is_over(file: Path, sources: str) -> bool:
    age = time() - file.lstat().st_mtime
    if _FOLDER.fullmatch(file.name):
        return age > SUPERSEDED and not file.name.endswith(sources)
    if file.suffix == SUFFIX:
        return age > (UNUSED if f"-{sources}-" in file.name else SUPERSEDED)
    _, being_written, process = file.name.partition(f"{SUFFIX}.")
    return bool(being_written) and (age > ABANDONED or not _is_running(process.partition(".")[0]))


def _is_running(process: str) -> bool:
    """Whether there is a process of that number; on Windows, where to ask would end it, there always is."""
    if os.name != "posix" or not process.isdecimal():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _delete(file: Path) -> None:
    if file.is_dir() and not file.is_symlink():
        shutil.rmtree(file, ignore_errors=True)
    else:
        file.unlink(missing_ok=True)
