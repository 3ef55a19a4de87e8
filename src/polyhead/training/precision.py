"""Which number format to compute in on this machine."""

from contextlib import AbstractContextManager
from typing import Literal, NamedTuple

import torch

from polyhead.errors import RecipeError
from polyhead.hardware import cpu_features, meanwhile
from polyhead.kernels.linear.gemm_in_vectors import may_multiply

Precision = Literal["auto", "float32", "bfloat16", "int16"]


class Arithmetic(NamedTuple):
    """How a model computes."""

    dtype: torch.dtype = torch.float32
    products: Literal["highest", "high"] = "highest"
    """How exact those of float32 are, by PyTorch's names: "high" lets kernels round factors to 16 bits."""

    def __str__(self) -> str:
        name = str(self.dtype).removeprefix("torch.")
        return name if self.products == "highest" else f"{name}, products of 16-bit whole numbers"

    def chosen(self) -> AbstractContextManager[None]:
        """Within the block products are as exact, in all threads."""
        return meanwhile(torch.get_float32_matmul_precision, torch.set_float32_matmul_precision, self.products)


def choose_arithmetic(precision: Precision, device: torch.device) -> Arithmetic:
    """`auto` → bfloat16 where the hardware multiplies it natively, else int16 where kernels do, else float32.

    Raises RecipeError for int16 where there are no kernels of it.
    """
    if precision == "auto":
        precision = "bfloat16" if has_bfloat16(device) else "int16" if _has_int16(device) else "float32"
    if precision != "int16":
        return Arithmetic({"float32": torch.float32, "bfloat16": torch.bfloat16}[precision])
    if not _has_int16(device):
        raise RecipeError(
            'training.precision "int16" is for CPUs with AVX2 and without AVX-512, which this is not; use "auto", '
            "which takes the fastest that there is"
        )
    return Arithmetic(torch.float32, "high")


def has_bfloat16(device: torch.device) -> bool:
    """True where bfloat16 products have units of their own (AVX512-BF16, AMX, or a GPU from Ampere on)."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities = torch.backends.cpu.get_cpu_capability()
    return device.type == "cpu" and "AVX512" in capabilities and bool(cpu_features() & {"avx512_bf16", "amx_bf16"})


def _has_int16(device: torch.device) -> bool:
    return device.type == "cpu" and may_multiply()
