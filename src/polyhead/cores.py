"""How many of the CPU's cores an operation takes, of those that there are and those that a container may keep busy.

A process that only translates has no PyTorch, so nothing here loads it.
"""

import os
import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from pathlib import Path
from typing import TypeVar

from polyhead.container import cpu_quota

Value = TypeVar("Value")

_VARIABLES = "MKL_NUM_THREADS", "OMP_NUM_THREADS"
"""The environment variables that can set PyTorch's number of threads; the first counts before the second."""


def has_torch() -> bool:
    """Whether PyTorch has been loaded in this process, or is being loaded: `import torch` then waits for the rest."""
    return "torch" in sys.modules


def cores() -> int:
    """How many cores an operation of this thread may take: PyTorch's number, even before PyTorch is loaded."""
    if has_torch():
        import torch

        return torch.get_num_threads()
    for name in _VARIABLES:
        first = os.environ.get(name, "").split(",")[0].strip()  # a list is for loops within loops
        if first.isdecimal() and int(first) > 0:
            return int(first)
    return _physical_cores()


@cache
def _physical_cores() -> int:
    """How many physical cores this process may run on and its container may keep busy, as found when first asked."""
    seen, quota = _cores_seen(), cpu_quota()
    return seen if quota is None else min(seen, quota)


def _cores_seen() -> int:
    """How many cores this process may run on. Two threads of one core would share its units, so they count as one."""
    if sys.platform != "linux":
        return os.cpu_count() or 1
    allowed = os.sched_getaffinity(0)
    siblings = [Path(f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list") for number in allowed]
    try:
        return len({each.read_text() for each in siblings})
    except OSError:  # a system that doesn't say
        return len(allowed)


def keep_to_quota() -> None:
    """Keeps PyTorch, if it isn't loaded yet, from taking more cores than the container may keep busy.

    A number of threads that the environment sets is kept.
    """
    if cpu_quota() is not None and not has_torch() and not any(os.environ.get(name) for name in _VARIABLES):
        use_cores(_physical_cores())


def use_cores(count: int) -> None:
    """Lets each operation of this thread, and of threads that begin later, take so many cores."""
    if has_torch():
        import torch

        torch.set_num_threads(count)
    else:
        os.environ.update(dict.fromkeys(_VARIABLES, str(count)))  # here `cores` finds it, as does what is loaded later


def divide_cores(processes: int) -> None:
    """Gives the operations of this process, one of several on a machine, an equal part of the cores.

    A number in OMP_NUM_THREADS is kept, unless it is 1: torchrun sets that by itself where nobody has set another.
    """
    if processes > 1 and os.environ.get("OMP_NUM_THREADS", "1") == "1":
        use_cores(max(1, _physical_cores() // processes))


def take_cores(given: int, processes: int) -> None:
    """Keeps the operations of this process, one of several on a machine, to as many cores as CPUs were given to it.

    They take no more than an equal part of the cores either, as two of the CPUs may be threads of one core.
    """
    use_cores(max(1, min(given, _physical_cores() // processes)))


@contextmanager
def meanwhile(ask: Callable[[], Value], put: Callable[[Value], None], value: Value) -> Generator[None]:
    """Within the block a setting of the process has this value, and afterwards the one from before."""
    before = ask()
    put(value)
    try:
        yield
    finally:
        put(before)


def cores_an_operation(count: int) -> AbstractContextManager[None]:
    """Within the block each operation takes up to `count` cores, and afterwards as many as before.

    MKL knows one number for the whole process, so this holds for all threads; other libraries keep one for each thread,
    which a new thread must set for itself. Without PyTorch no operation takes more than one core by itself.
    """
    return meanwhile(cores, use_cores, count) if has_torch() else nullcontext()
