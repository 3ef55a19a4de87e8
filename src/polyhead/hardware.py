"""What the CPU can do.

A process that only translates has no PyTorch, so nothing here loads it but what is about PyTorch alone.
"""

import ctypes
import os
import platform
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

WITHOUT = tuple(os.environ.get("POLYHEAD_CPU_WITHOUT", "").split())
"""How the names of instructions begin that are not to be used even if this CPU has them, such as "avx512 amx"."""

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
"""The instructions of x86 that are asked for: PyTorch's name → Linux's name and LLVM's name."""

CPUINFO = Path("/proc/cpuinfo")
"""Where Linux says what it knows of every processor."""

PROCESSOR = (
    *("vendor_id", "cpu family", "model", "model name", "stepping", "flags"),
    *("CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision", "Features"),
)
"""The fields of /proc/cpuinfo that machine code may depend on, first those of x86, then those of ARM."""

VNNI = {"avx_vnni", "avx512_vnni"}
"""The instructions that multiply bytes and add up in 32 bits; a CPU has one of them, or both."""

TILES = {"amx_tile", "amx_int8", "amx_bf16"}
"""The instructions of AMX, the CPU's unit for matrices."""

_ARCH_PRCTL, _REQUEST_STATE, _TILE_DATA = 158, 0x1023, 18
"""The number of Linux's system call arch_prctl on x86-64, its request for a permission (ARCH_REQ_XCOMP_PERM), and the
registers that the permission is for, those of tiles."""


@cache
def processor() -> Mapping[str, str]:
    """What Linux says of the first processor in the fields of `PROCESSOR`; nothing on other systems."""
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
    """The instructions that LLVM finds. It takes some 40 MB, so it is asked only where Linux says nothing of them."""
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


def few_sizes(size: int) -> int:
    """The next of a few sizes that is at least `size`: 1, 2, … 16, 18, … 32, 36, … 64, 72 …, at most an eighth above.

    For every new shape of a product oneDNN builds a kernel and keeps it, which costs milliseconds and half a MiB.
    """
    step = 1
    while 16 * step < size:
        step *= 2
    return (size + step - 1) // step * step
