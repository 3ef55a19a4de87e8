"""Which number format to compute in on this machine."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal, NamedTuple

import torch
from torch import nn

from polyhead.errors import RecipeError
from polyhead.hardware import cpu_features, meanwhile
from polyhead.kernels.factors.whole_numbers import PAIRED
from polyhead.kernels.linear.gemm_in_vectors import may_multiply
from polyhead.model.seq2seq import Seq2SeqModel

Precision = Literal["auto", "float32", "bfloat16", "int16"]


class Arithmetic(NamedTuple):
    """How a model computes."""

    dtype: torch.dtype = torch.float32
    products: Literal["highest", "high"] | None = "highest"
    """How exact those of float32 are, by PyTorch's names: "high" lets kernels round factors to 16 bits. None: as it is
    set already, which on a GPU is its user's choice."""

    def __str__(self) -> str:
        name = str(self.dtype).removeprefix("torch.")
        return f"{name}, products of 16-bit whole numbers" if self.products == "high" else name

    def chosen(self) -> AbstractContextManager[None]:
        """Within the block products are as exact, in all threads."""
        if self.products is None:
            return nullcontext()
        return meanwhile(torch.get_float32_matmul_precision, torch.set_float32_matmul_precision, self.products)


def choose_arithmetic(precision: Precision, device: torch.device, model: Seq2SeqModel[Any], cores: int) -> Arithmetic:
    """`auto` → bfloat16 where the hardware multiplies it natively, else int16 where kernels do, else float32.

    cores: those that an operation takes. Raises RecipeError for int16 where there are no kernels of it.
    """
    rounds = _has_int16(device, model, cores)
    if precision == "auto":
        precision = "bfloat16" if has_bfloat16(device) else "int16" if rounds else "float32"
    if precision == "int16":
        if not rounds:
            raise RecipeError(
                'training.precision "int16" is for a CPU with AVX2 and without AVX-512, a training.workers for every '
                f"thread, and a Transformer whose d_model and d_ff are multiples of {PAIRED}, which is not so here; "
                'use "auto", which takes the fastest that there is'
            )
        return Arithmetic(torch.float32, "high")
    dtype = {"float32": torch.float32, "bfloat16": torch.bfloat16}[precision]
    return Arithmetic(dtype, "highest" if device.type == "cpu" else None)


def has_bfloat16(device: torch.device) -> bool:
    """True where bfloat16 products have units of their own (AVX512-BF16, AMX, or a GPU from Ampere on)."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities = torch.backends.cpu.get_cpu_capability()
    return device.type == "cpu" and "AVX512" in capabilities and bool(cpu_features() & {"avx512_bf16", "amx_bf16"})


def _has_int16(device: torch.device, model: Seq2SeqModel[Any], cores: int) -> bool:
    """Whether kernels multiply all that there is to multiply."""
    if device.type != "cpu" or cores > 1 or not may_multiply():
        return False
    maps: list[nn.Linear] = [part for part in model.modules() if isinstance(part, nn.Linear)]
    sizes = [
        model.output_layer.weight.size(1),
        *(size for each in maps for size in (each.in_features, each.out_features)),
    ]
    recurrent = any(isinstance(part, nn.RNNBase) for part in model.modules())
    return not recurrent and all(size % PAIRED == 0 for size in sizes)
