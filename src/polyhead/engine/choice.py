"""Which engine and which precision a model is translated with: what was asked for, or what is fastest here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from polyhead.engine.kernel_engine import has_int8_products, has_kernels, has_two_byte_inputs
from polyhead.engine.pack import FOUR
from polyhead.errors import ModelError
from polyhead.kernels.linear.packed_int8 import LONGEST
from polyhead.model.levels import are_on_levels
from polyhead.model.trained import TransformerArrays

if TYPE_CHECKING:
    from polyhead.model.seq2seq import Seq2SeqModel

EngineName = Literal["auto", "plain", "prepared"]
DtypeName = Literal["auto", "float32", "int8"]
Trained: TypeAlias = "Seq2SeqModel[Any] | TransformerArrays"
"""A model as modules or, for a Transformer, as arrays."""


@dataclass(frozen=True)
class Choice:
    """An engine and the precision of its products."""

    engine: Literal["plain", "prepared"]
    dtype: Literal["float32", "int8"]

    def __str__(self) -> str:
        return f"{self.engine} engine, {self.dtype}"


PLAIN = Choice("plain", "float32")
"""The choice of a model as it was trained."""


def choose(model: Trained, engine: EngineName = "auto", dtype: DtypeName = "auto") -> Choice:
    """The engine for a model on this machine.

    "auto" is the prepared engine for a Transformer on a CPU, else the model as it was trained. The prepared engine then
    multiplies in int8 where all translations but one in hundreds are those of float32: with VNNI, for a model whose
    weights are on the levels of int8, to which training rounds them at its end. Elsewhere int8 would change one
    translation in ten to twenty, and float32 is taken. Raises ModelError where what is asked for can't be had.
    """
    arrays = None if engine == "plain" else arrays_of(model)
    possible = arrays is not None and has_kernels(arrays.config, "float32")
    if engine == "prepared" and not possible:
        raise ModelError('engine "prepared" needs a Transformer on a CPU; use engine "auto" or "plain"')
    if arrays is None or not possible:
        if dtype not in ("auto", "float32"):
            raise ModelError(f'dtype "{dtype}" needs the engine "prepared", a Transformer on a CPU; use "float32"')
        return PLAIN
    has_int8 = has_kernels(arrays.config, "int8")
    if dtype == "int8" and not has_int8:
        sizes = f"a d_model and a d_ff that are multiples of {FOUR}, {LONGEST:,} at most"
        why = sizes if has_int8_products() else "a CPU with AVX2"
        raise ModelError(f'dtype "int8" needs {why}; use "float32"')
    if dtype == "auto":
        same = has_int8 and has_two_byte_inputs() and are_on_levels(arrays.arrays)
        dtype = "int8" if same else "float32"
    return Choice("prepared", dtype)


def kernel_arrays(model: Trained, dtype: str) -> TransformerArrays | None:
    """The settings and weights to make the engine of kernels of; None where it can't do this model and precision."""
    arrays = arrays_of(model)
    return arrays if arrays is not None and has_kernels(arrays.config, dtype) else None


def arrays_of(model: Trained) -> TransformerArrays | None:
    """The model's settings and weights; None for modules that aren't a Transformer on a CPU as its settings say."""
    if isinstance(model, TransformerArrays):
        return model
    from polyhead.engine import modules

    return modules.arrays_of(model)
