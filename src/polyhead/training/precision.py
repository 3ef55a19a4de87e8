"""Which number format to compute in on this machine."""

from typing import Any, Literal, NamedTuple

import torch
from torch import nn

from polyhead.errors import RecipeError
from polyhead.hardware import cpu_features
from polyhead.kernels.linear import gemm_int8
from polyhead.kernels.microkernels.registers import PANEL
from polyhead.model.seq2seq import Seq2SeqModel

Precision = Literal["auto", "float32", "bfloat16", "int8"]


SEVERAL_CORES = 2
"""Cores that an operation takes where PyTorch computes, and not kernels for one core."""


class Arithmetic(NamedTuple):
    """How a model computes."""

    dtype: torch.dtype = torch.float32
    """The format of weights, activations and gradients."""
    int8: bool = False
    """Whether the factors of matrix products are rounded to 8-bit integers before they are multiplied."""

    def __str__(self) -> str:
        name = str(self.dtype).removeprefix("torch.")
        return f"{name}, products of 8-bit whole numbers" if self.int8 else name


def choose_arithmetic(precision: Precision, device: torch.device, model: Seq2SeqModel[Any], cores: int) -> Arithmetic:
    """`auto` → what this machine multiplies fastest: int8 where kernels do, else bfloat16 or float32.

    cores: how many CPU cores an operation takes. Raises RecipeError for int8 where there are no kernels of it.
    """
    native = torch.bfloat16 if has_bfloat16(device) else torch.float32
    int8 = gemm_int8.is_supported() and _is_multiplied_by_kernels(model, device, cores)
    if precision == "int8" and not int8:
        raise RecipeError(
            'training.precision "int8" is for a CPU with VNNI, or with AVX2 alone, and without AMX, for a '
            "training.workers for every thread, and for a Transformer whose d_model and d_ff are multiples of "
            f'{PANEL}, which is not so here; use "auto", which takes the fastest that there is'
        )
    if precision == "int8" or (precision == "auto" and int8):
        return Arithmetic(native, int8=True)
    return Arithmetic({"auto": native, "float32": torch.float32, "bfloat16": torch.bfloat16}[precision])


def has_bfloat16(device: torch.device) -> bool:
    """True where bfloat16 products have units of their own (AVX512-BF16, AMX, or a GPU from Ampere on)."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities = torch.backends.cpu.get_cpu_capability()
    return device.type == "cpu" and "AVX512" in capabilities and bool(cpu_features() & {"avx512_bf16", "amx_bf16"})


def _is_multiplied_by_kernels(model: Seq2SeqModel[Any], device: torch.device, cores: int) -> bool:
    """Whether kernels of 8-bit integers can compute every matrix product of the model."""
    if device.type != "cpu" or cores > 1:
        return False
    maps: list[nn.Linear] = [part for part in model.modules() if isinstance(part, nn.Linear)]
    sizes = [
        model.output_layer.weight.size(1),
        *(size for each in maps for size in (each.in_features, each.out_features)),
    ]
    recurrent = any(isinstance(part, nn.RNNBase) for part in model.modules())
    return not recurrent and all(size % PANEL == 0 for size in sizes)
