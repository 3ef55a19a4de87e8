"""Which engine and which precision a model is translated with: what was asked for, or what is fastest here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from polyhead.engine.fused import has_fused_form, is_known
from polyhead.errors import ModelError
from polyhead.hardware import cpu_features, multiplies_bfloat16
from polyhead.model.trained import TransformerArrays

if TYPE_CHECKING:
    from polyhead.model.seq2seq import Seq2SeqModel

EngineName = Literal["auto", "plain", "prepared"]
DtypeName = Literal["auto", "float32", "bfloat16", "int8"]
Trained: TypeAlias = "Seq2SeqModel[Any] | TransformerArrays"
"""A model as modules or, for a Transformer, as arrays."""
WIDE = 256
"""d_model below which a model is quick enough in float32: what is looked at then is, to the bit, what translated."""


@dataclass(frozen=True)
class Choice:
    """An engine and the precision of its products."""

    engine: Literal["plain", "prepared"]
    dtype: Literal["float32", "bfloat16", "int8"]

    def __str__(self) -> str:
        return f"{self.engine} engine, {self.dtype}"


PLAIN = Choice("plain", "float32")
"""A model as it was trained."""


def choose(model: Trained, engine: EngineName = "auto", dtype: DtypeName = "auto") -> Choice:
    """The engine for a model on this machine.

    "auto" is the prepared engine for a Transformer on a CPU, else the model as it was trained; and the precision that
    this CPU multiplies fastest: int8 with AVX2, bfloat16 with AVX512-BF16 or AMX, else float32. A narrow model stays in
    float32. Raises ModelError where what is asked for can't be had.
    """
    possible = _can_be_prepared(model)
    if engine == "prepared" and not possible:
        raise ModelError('engine "prepared" needs a Transformer on a CPU; use engine "auto" or "plain"')
    if engine == "plain" or not possible:
        if dtype not in ("auto", "float32"):
            raise ModelError(f'dtype "{dtype}" needs the engine "prepared", a Transformer on a CPU; use "float32"')
        return PLAIN
    if dtype == "auto":
        return Choice("prepared", _fastest(model))
    if dtype == "int8" and fused_arrays(model, "int8") is None and not has_int8():
        raise ModelError('dtype "int8" needs PyTorch\'s FBGEMM kernels, which this build lacks; use "bfloat16"')
    if dtype == "bfloat16" and not multiplies_bfloat16():
        raise ModelError('dtype "bfloat16" needs AVX-512, and a build of PyTorch with oneDNN; use "float32" or "int8"')
    return Choice("prepared", dtype)


def fused_arrays(model: Trained, dtype: str) -> TransformerArrays | None:
    """What the engine of kernels is made of; None where it hasn't got this model in this precision, or this CPU."""
    arrays = model if isinstance(model, TransformerArrays) else _arrays_of(model)
    return arrays if arrays is not None and has_fused_form(arrays.config, dtype) else None


def needs_modules(model: Trained, choice: Choice) -> bool:
    """Whether `prepare` wants modules: PyTorch and the modules are loaded for an engine that can't do without."""
    return choice.engine == "plain" or fused_arrays(model, choice.dtype) is None


def has_int8() -> bool:
    """Whether this PyTorch multiplies 8-bit integers on this CPU."""
    import torch

    known = hasattr(torch.ops.quantized, "linear_with_input_q_dq_qweight_dq_output_fp32")
    return known and "fbgemm" in torch.backends.quantized.supported_engines


def has_onednn() -> bool:
    """Whether this PyTorch has oneDNN's products."""
    import torch

    return torch.backends.mkldnn.is_available()


def _can_be_prepared(model: Trained) -> bool:
    if isinstance(model, TransformerArrays):
        return is_known(model.config)
    from polyhead.engine.modules import can_be_prepared

    return can_be_prepared(model)


def _arrays_of(model: Seq2SeqModel[Any]) -> TransformerArrays | None:
    from polyhead.engine.modules import arrays_of

    return arrays_of(model)


def _width(model: Trained) -> int:
    return model.config.d_model if isinstance(model, TransformerArrays) else model.output_layer.weight.size(1)


def _fastest(model: Trained) -> Literal["float32", "bfloat16", "int8"]:
    if _width(model) < WIDE:
        return "float32"
    cpu = cpu_features()
    if fused_arrays(model, "int8") or (cpu & {"avx512_vnni", "avx_vnni", "amx_int8"} and has_int8()):
        return "int8"
    return "bfloat16" if cpu & {"avx512_bf16", "amx_bf16"} and has_onednn() else "float32"
