"""The device that is measured: whether there is one, and what it is."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from polyhead.errors import PolyheadError
from polyhead.training import precision

UNKNOWN = "unknown"
DRIVER_FILE = Path("/proc/driver/nvidia/version")


def check(name: str) -> None:
    """Raises PolyheadError where PyTorch has no such device."""
    if name == "cuda" and not torch.cuda.is_available():
        raise PolyheadError(
            f"PyTorch {torch.__version__} finds no CUDA device on this machine, so nothing was measured and no results "
            "were written; run this where `nvidia-smi` shows a GPU and PyTorch is built for CUDA"
        )


def has_bfloat16(name: str) -> bool:
    """Whether it multiplies bfloat16 by units of its own."""
    return precision.has_bfloat16(torch.device(name))


def describe(name: str) -> dict[str, Any]:
    """Name, memory, capability, and the versions beneath PyTorch."""
    if name != "cuda":
        return {"device": f"{name} (a trial, no GPU)"}
    found = torch.cuda.get_device_properties(0)
    return {
        "device": found.name,
        "device_memory_gib": round(found.total_memory / 2**30, 1),
        "compute_capability": f"{found.major}.{found.minor}",
        "multiprocessors": found.multi_processor_count,
        "driver": driver_version(),
        "cuda": torch.version.cuda or UNKNOWN,
        "cudnn": str(torch.backends.cudnn.version()),
        "torch": torch.__version__,
    }


def driver_version() -> str:
    """As nvidia-smi or the kernel says it."""
    try:
        command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.split()
    except (OSError, subprocess.SubprocessError):
        said = re.findall(r"\d+\.\d+(?:\.\d+)?", DRIVER_FILE.read_text() if DRIVER_FILE.exists() else "")
    return said[0] if said else UNKNOWN


def folder(results: Path, described: Mapping[str, Any]) -> Path:
    """Where the results of a device are kept: one for each kind, such as `nvidia-h100-80gb-hbm3`."""
    return results / "-".join(re.findall(r"[a-z0-9]+", str(described["device"]).lower()))
