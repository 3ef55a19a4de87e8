"""What the CPU can do, and how many of its cores an operation takes.

A process that only translates has no PyTorch, so nothing here loads it but what is about PyTorch alone.
"""

import ctypes
import os
import platform
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

Value = TypeVar("Value")

WITHOUT = tuple(os.environ.get("POLYHEAD_CPU_WITHOUT", "").split())
"""How names of instructions begin that are to be left alone as if this CPU did not have them, as "avx512 amx"."""

X86 = {"x86_64", "AMD64", "i386", "i686"}
"""The machines that have instructions of x86, as `platform.machine` calls them."""

NAMES = {
    "avx2": ("avx2", "avx2"),
    "fma3": ("fma", "fma"),
    "avx_vnni": ("avx_vnni", "avxvnni"),
    "avx512_f": ("avx512f", "avx512f"),
    "avx512_vnni": ("avx512_vnni", "avx512vnni"),
    "avx512_bf16": ("avx512_bf16", "avx512bf16"),
    "amx_tile": ("amx_tile", "amx-tile"),
    "amx_int8": ("amx_int8", "amx-int8"),
    "amx_bf16": ("amx_bf16", "amx-bf16"),
}
"""The instructions of x86 that are asked for, by PyTorch's names: Linux's names of them, and LLVM's."""

CPUINFO = Path("/proc/cpuinfo")
"""Where Linux says what it knows of every processor."""

PROCESSOR = (
    *("vendor_id", "cpu family", "model", "model name", "stepping", "flags"),
    *("CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision", "Features"),
)
"""What Linux says of a processor, of x86 and of ARM, that machine code may depend on."""

CPU_MAX = Path("/sys/fs/cgroup/cpu.max")
"""Where Linux says how many microseconds of computing a container may take in a period, and how long that is."""

VNNI = {"avx_vnni", "avx512_vnni"}
"""The instructions that multiply bytes and add up in 32 bits; a CPU has one of them, or both."""

TILES = {"amx_tile", "amx_int8", "amx_bf16"}
"""The instructions of the unit for matrices."""

_VARIABLES = "MKL_NUM_THREADS", "OMP_NUM_THREADS"
"""Those of the environment by which PyTorch's number can be set, the first of them before the other."""

_ARCH_PRCTL, _REQUEST_STATE, _TILE_DATA = 158, 0x1023, 18
"""Linux's number of the call on x86-64, what is asked for by it (ARCH_REQ_XCOMP_PERM), and for which registers."""


@cache
def processor() -> Mapping[str, str]:
    """What Linux says of the first processor, without what changes from moment to moment; nothing elsewhere."""
    try:
        first, _, _ = CPUINFO.read_text().partition("\n\n")
    except OSError:
        return {}
    said = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in first.splitlines())}
    return {name: said[name] for name in PROCESSOR if name in said}


@cache
def _instructions() -> frozenset[str]:
    if platform.machine() not in X86:
        return frozenset()
    said = processor().get("flags")
    if said is None:
        return _instructions_by_llvm()
    found = set(said.split())
    return frozenset(name for name, (theirs, _) in NAMES.items() if theirs in found)


def _instructions_by_llvm() -> frozenset[str]:
    """LLVM takes some 40 MB, which not every process needs."""
    binding: Any = import_module("llvmlite.binding")
    try:
        found: Mapping[str, bool] = binding.get_host_cpu_features()
    except RuntimeError:  # so it is documented where LLVM knows nothing of the CPU
        return frozenset()
    return frozenset(name for name, (_, theirs) in NAMES.items() if found.get(theirs))


def cpu_features() -> set[str]:
    """Which of the instructions in `NAMES` this CPU has and the system lets be used."""
    return {name for name in _instructions() if not name.startswith(WITHOUT)}


@cache
def may_use_tiles() -> bool:
    """Whether this process may use the CPU's unit for matrices (AMX): Linux wants to be asked for it first."""
    return cpu_features() >= TILES and sys.platform == "linux" and _ask_for_tiles()


def _ask_for_tiles() -> bool:
    call = ctypes.CDLL(None).syscall
    call.argtypes, call.restype = [ctypes.c_long] * 3, ctypes.c_long
    return call(_ARCH_PRCTL, _REQUEST_STATE, _TILE_DATA) == 0


@cache
def multiplies_bfloat16() -> bool:
    """Whether oneDNN has products in bfloat16 for this CPU."""
    import torch

    return torch.backends.mkldnn.is_available() and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def has_torch() -> bool:
    """Whether PyTorch has been loaded in this process, or is being loaded: `import torch` then waits for the rest."""
    return "torch" in sys.modules


def cores() -> int:
    """How many an operation of this thread may take: PyTorch's number, also before PyTorch is there."""
    if has_torch():
        import torch

        return torch.get_num_threads()
    for name in _VARIABLES:
        first = os.environ.get(name, "").split(",")[0].strip()  # a list is for loops within loops
        if first.isdecimal() and int(first) > 0:
            return int(first)
    return _physical_cores()


def _physical_cores() -> int:
    """Those that this process might run on when it first asked, and that its container may keep busy."""
    seen, quota = _cores_seen(), cpu_quota()
    return seen if quota is None else min(seen, quota)


@cache
def _cores_seen() -> int:
    """Two threads of one core would share its units, so they count as one."""
    if sys.platform != "linux":
        return os.cpu_count() or 1
    allowed = os.sched_getaffinity(0)
    siblings = [Path(f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list") for number in allowed]
    try:
        return len({each.read_text() for each in siblings})
    except OSError:  # a system that doesn't say
        return len(allowed)


def cpu_quota() -> int | None:
    """How many cores the container of this process may keep busy, rounded up; None where it has no limit.

    A container sees all cores of its machine, whatever its limit, and threads beyond that limit stop each other.
    """
    try:
        quota, period = CPU_MAX.read_text().split()
    except (OSError, ValueError):
        return None
    return max(1, -(-int(quota) // int(period))) if quota.isdecimal() else None


def keep_to_quota() -> None:
    """Before PyTorch is loaded: it won't take more cores than the container may keep busy.

    A number that the environment has is kept.
    """
    if cpu_quota() is not None and not has_torch() and not any(os.environ.get(name) for name in _VARIABLES):
        use_cores(_physical_cores())


def use_cores(count: int) -> None:
    """So many for each operation of this thread and of those that begin later."""
    if has_torch():
        import torch

        torch.set_num_threads(count)
    else:
        os.environ.update(dict.fromkeys(_VARIABLES, str(count)))  # here `cores` finds it, as does what is loaded later


def divide_cores(processes: int) -> None:
    """For one of several processes on a machine: gives its operations an equal part of the cores.

    A number in OMP_NUM_THREADS is kept, unless it is 1: torchrun sets that by itself where nobody has set another.
    """
    if processes > 1 and os.environ.get("OMP_NUM_THREADS", "1") == "1":
        use_cores(max(1, _physical_cores() // processes))


def take_cores(given: int, processes: int) -> None:
    """For one of several processes on a machine, to which so many CPUs were given: its operations take no more.

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
    """Within the block so many for each operation, and afterwards as before.

    MKL knows one number for the whole process, so this holds for all threads; other libraries keep one for each thread,
    which a new thread must set for itself. Without PyTorch no operation takes more than one core by itself.
    """
    return meanwhile(cores, use_cores, count) if has_torch() else nullcontext()


def few_sizes(size: int) -> int:
    """The next of a few sizes that is at least `size`: 1, 2, … 16, 18, … 32, 36, … 64, 72 …, at most an eighth above.

    For every new shape of a product oneDNN builds a kernel and keeps it, which costs milliseconds and half a MiB.
    """
    step = 1
    while 16 * step < size:
        step *= 2
    return (size + step - 1) // step * step
