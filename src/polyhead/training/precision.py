"""Which number format to compute in on this machine."""

from pathlib import Path
from typing import Literal

import torch

Precision = Literal["auto", "float32", "bfloat16"]


def choose_dtype(precision: Precision, device: torch.device) -> torch.dtype:
    """`auto` → bfloat16 where the hardware multiplies it natively, else float32."""
    if precision == "auto":
        return torch.bfloat16 if has_bfloat16(device) else torch.float32
    return {"float32": torch.float32, "bfloat16": torch.bfloat16}[precision]


def has_bfloat16(device: torch.device) -> bool:
    """True where bfloat16 products have units of their own (AVX512-BF16, AMX, or a GPU from Ampere on)."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities = torch.backends.cpu.get_cpu_capability()
    return device.type == "cpu" and "AVX512" in capabilities and _cpu_flag("avx512_bf16", "amx_bf16")


def _cpu_flag(*names: str) -> bool:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    flags = next((line.split() for line in lines if line.startswith("flags")), list[str]())
    return any(name in flags for name in names)
