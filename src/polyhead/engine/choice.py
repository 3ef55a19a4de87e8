"""Which engine and which precision a model is translated with: what was asked for, or what is fastest here."""

from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

import torch

from polyhead.engine.assemble import has_prepared_form
from polyhead.engine.ends import PLACED
from polyhead.engine.fused import has_fused_form
from polyhead.errors import ModelError
from polyhead.hardware import cpu_features
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.model.transformer import Transformer

EngineName = Literal["auto", "plain", "prepared"]
DtypeName = Literal["auto", "float32", "bfloat16", "int8"]
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


def choose(model: Seq2SeqModel[Any], engine: EngineName = "auto", dtype: DtypeName = "auto") -> Choice:
    """The engine for a model on this machine.

    "auto" is the prepared engine for a Transformer on a CPU, else the model as it was trained; and the precision that
    this CPU multiplies fastest: int8 with AVX2, bfloat16 with AVX512-BF16 or AMX, else float32. A narrow model stays in
    float32. Raises ModelError where what is asked for can't be had.
    """
    possible = model if _can_be_prepared(model) else None
    if engine == "prepared" and possible is None:
        raise ModelError('engine "prepared" needs a Transformer on a CPU; use engine "auto" or "plain"')
    if engine == "plain" or possible is None:
        if dtype not in ("auto", "float32"):
            raise ModelError(f'dtype "{dtype}" needs the engine "prepared", a Transformer on a CPU; use "float32"')
        return PLAIN
    if dtype == "auto":
        return Choice("prepared", _fastest(possible))
    if dtype == "int8" and not has_fused_form(possible, "int8") and not has_int8():
        raise ModelError('dtype "int8" needs PyTorch\'s FBGEMM kernels, which this build lacks; use "bfloat16"')
    if dtype == "bfloat16" and not torch.backends.mkldnn.is_available():
        raise ModelError('dtype "bfloat16" needs oneDNN, which this build of PyTorch lacks; use "float32"')
    return Choice("prepared", dtype)


def _can_be_prepared(model: Seq2SeqModel[Any]) -> TypeGuard[Transformer]:
    if not isinstance(model, Transformer) or model.output.weight.device.type != "cpu":
        return False
    positions = model.source_embedding.positions, model.target_embedding.positions
    layers = [*model.encoder.layers, *model.decoder.layers]
    return all(isinstance(each, PLACED) for each in positions) and all(map(has_prepared_form, layers))


def has_int8() -> bool:
    """Whether this PyTorch multiplies 8-bit integers on this CPU."""
    known = hasattr(torch.ops.quantized, "linear_with_input_q_dq_qweight_dq_output_fp32")
    return known and "fbgemm" in torch.backends.quantized.supported_engines


def _fastest(model: Transformer) -> Literal["float32", "bfloat16", "int8"]:
    if model.output.weight.size(1) < WIDE:
        return "float32"
    cpu = cpu_features()
    if has_fused_form(model, "int8") or (cpu & {"avx512_vnni", "avx_vnni", "amx_int8"} and has_int8()):
        return "int8"
    native = cpu & {"avx512_bf16", "amx_bf16"}
    return "bfloat16" if native and torch.backends.mkldnn.is_available() else "float32"
