"""Which number format to compute in on this machine."""

from typing import Literal

import torch

from polyhead.hardware import cpu_features

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
    return device.type == "cpu" and "AVX512" in capabilities and bool(cpu_features() & {"avx512_bf16", "amx_bf16"})
