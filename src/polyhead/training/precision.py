"""Which number format to compute in on this machine."""

from typing import Any, Literal, NamedTuple

import torch
from torch import nn

from polyhead.errors import RecipeError
from polyhead.hardware import cpu_features
from polyhead.kernels.linear import gemm_float32, gemm_int8
from polyhead.kernels.microkernels.registers import PANEL
from polyhead.kernels.packing.pack_int16 import PAIRED
from polyhead.model.seq2seq import Seq2SeqModel

Bits = Literal[8, 16]
"""Of the whole numbers that products' factors may be rounded to."""
Precision = Literal["auto", "float32", "bfloat16", "int16", "int8"]

_FASTEST_FIRST: tuple[Precision, ...] = ("int8", "bfloat16", "int16", "float32")
"""Of those that there are kernels or units for."""


class Arithmetic(NamedTuple):
    """How a model computes."""

    dtype: torch.dtype = torch.float32
    bits: Bits | None = None
    """Of the whole numbers that kernels round products' factors to; None: they multiply them as they are."""

    def __str__(self) -> str:
        name = str(self.dtype).removeprefix("torch.")
        return name if self.bits is None else f"{name}, products of {self.bits}-bit whole numbers"


class _Rounded(NamedTuple):
    """Products of whole numbers: where there are kernels of them."""

    arithmetic: Arithmetic
    fits: bool
    """Whether they are for this CPU."""
    multiple: int
    """Of which d_model and d_ff must be multiples."""
    cpu: str
    """What they are for, in words."""


def choose_arithmetic(precision: Precision, device: torch.device, model: Seq2SeqModel[Any], cores: int) -> Arithmetic:
    """`auto` → what this machine multiplies fastest: int8 or int16 where kernels do, else bfloat16 or float32.

    cores: those that an operation takes. Raises RecipeError for int8 and int16 where there are no kernels of them.
    """
    native = torch.bfloat16 if has_bfloat16(device) else torch.float32
    rounded = _rounded(native)
    possible = {name for name, kind in rounded.items() if kind.fits and _multiply_all(kind, device, model, cores)}
    if precision == "auto":
        unrounded: set[Precision] = {"float32", "bfloat16"} if native == torch.bfloat16 else {"float32"}
        precision = next(name for name in _FASTEST_FIRST if name in possible | unrounded)
    if precision == "int8" or precision == "int16":
        kind = rounded[precision]
        if precision not in possible:
            raise RecipeError(
                f'training.precision "{precision}" is for {kind.cpu}, a training.workers for every thread, and a '
                f"Transformer whose d_model and d_ff are multiples of {kind.multiple}, which is not so here; "
                'use "auto", which takes the fastest that there is'
            )
        return kind.arithmetic
    return Arithmetic({"float32": torch.float32, "bfloat16": torch.bfloat16}[precision])


def _rounded(native: torch.dtype) -> dict[Precision, _Rounded]:
    """native: the format that models have beside their products of bytes."""
    bytes_, pairs = Arithmetic(native, 8), Arithmetic(torch.float32, 16)
    return {
        "int8": _Rounded(bytes_, gemm_int8.is_supported(), PANEL, "a CPU with VNNI and without AMX"),
        "int16": _Rounded(pairs, gemm_float32.is_supported(), PAIRED, "a CPU with AVX2 and without bfloat16"),
    }


def has_bfloat16(device: torch.device) -> bool:
    """True where bfloat16 products have units of their own (AVX512-BF16, AMX, or a GPU from Ampere on)."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities = torch.backends.cpu.get_cpu_capability()
    return device.type == "cpu" and "AVX512" in capabilities and bool(cpu_features() & {"avx512_bf16", "amx_bf16"})


def _multiply_all(kind: _Rounded, device: torch.device, model: Seq2SeqModel[Any], cores: int) -> bool:
    """Whether kernels multiply all that there is to multiply."""
    if device.type != "cpu" or cores > 1:
        return False
    maps: list[nn.Linear] = [part for part in model.modules() if isinstance(part, nn.Linear)]
    sizes = [
        model.output_layer.weight.size(1),
        *(size for each in maps for size in (each.in_features, each.out_features)),
    ]
    recurrent = any(isinstance(part, nn.RNNBase) for part in model.modules())
    return not recurrent and all(size % kind.multiple == 0 for size in sizes)
