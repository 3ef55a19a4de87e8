"""How many worker processes a machine has room for."""

from collections.abc import Sequence
from pathlib import Path

from polyhead.cores import cores
from polyhead.limits import usable_memory

PROCESS = 320 << 20
"""Bytes that a worker takes besides the weights: Python, NumPy, kernels, and what a search keeps."""
WEIGHTS = "model.safetensors"
_MEMINFO = Path("/proc/meminfo")


def workers_for(models: Sequence[Path], threads: int | None) -> int:
    """How many workers there are cores for, `threads` each, and memory for; one at least.

    models: what each worker loads. The file of the weights is mapped, so all share its pages. Each has a copy of
    its own of what is packed for the CPU, about as much again.
    """
    by_cores = cores() // (threads or 1)
    need = PROCESS + sum(_size(model / WEIGHTS) for model in models)
    free = free_memory()
    return max(1, by_cores if free is None else min(by_cores, free // need))


def free_memory(meminfo: Path = _MEMINFO) -> int | None:
    """Bytes that processes may still take here, by what Linux says and by the container's limit; None where unknown."""
    known = [each for each in (_available(meminfo), usable_memory()) if each is not None]
    return min(known, default=None)


def _available(meminfo: Path) -> int | None:
    try:
        lines = meminfo.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")), None)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
