"""What this machine is."""

import os
import platform
from pathlib import Path
from typing import Any

TELLING = ("avx2", "avx512f", "avx512_bf16", "avx512_vnni", "avx_vnni", "amx_bf16", "amx_int8")
"""Processor flags that decide how fast matrix products are."""

AVX2_ALONE = {
    "POLYHEAD_CPU_WITHOUT": "avx512 avx10 amx avx_vnni avxvnni",
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "CT2_FORCE_CPU_ISA": "AVX2",
}
"""Environment variables: polyhead's, PyTorch's, oneDNN's, MKL's and CTranslate2's, to use nothing beyond AVX2."""


def describe(avx2_alone: bool = False) -> dict[str, Any]:
    """Processor, cores, memory, telling flags, operating system, Python.

    avx2_alone: whether everything is told to take it for an older processor
    """
    processor = _fields(Path("/proc/cpuinfo"))
    memory = _fields(Path("/proc/meminfo"))
    model = processor.get("model name", platform.processor() or "unknown")
    flags = processor.get("flags", "").split()
    kilobytes = memory.get("MemTotal", "0 kB").split()[0]
    return {
        "processor": model + (", AVX2 alone" if avx2_alone else ""),
        "family": " ".join(processor.get(name, "?") for name in ("cpu family", "model")),
        "cores": cores(),
        "memory_gib": round(int(kilobytes) / 2**20, 1),
        "flags": [flag for flag in TELLING if flag in flags and not (avx2_alone and flag != "avx2")],
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def load() -> float:
    """Processes that wanted a core on average in the last minute: other work spoils the figures."""
    return os.getloadavg()[0]


def _fields(path: Path) -> dict[str, str]:
    """`name : value` lines; of a name that comes again (a core each) the first."""
    found: dict[str, str] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            found.setdefault(name.strip(), value.strip())
    return found
