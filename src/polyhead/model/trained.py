"""A trained model as arrays instead of modules: an engine is made of it, without loading PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polyhead.model.config import ModelConfig, TransformerConfig
from polyhead.model.shapes import TIED, Shape, transformer_shapes
from polyhead.model.stored import Floats

if TYPE_CHECKING:
    from polyhead.model.seq2seq import Seq2SeqModel

EPSILON = 1e-5
"""What LayerNorm adds to a variance: PyTorch's default."""


@dataclass(frozen=True, eq=False)
class TransformerArrays:
    """A Transformer's settings and its weights by the names that they have in `model.safetensors`."""

    config: TransformerConfig
    arrays: Mapping[str, Floats]

    def __getitem__(self, name: str) -> Floats:
        """A weight by its name; a tied weight by any of its names."""
        while name not in self.arrays and name in TIED:
            name = TIED[name]
        return self.arrays[name]

    def map(self, name: str) -> tuple[Floats, Floats]:
        """Weight and bias of a linear map or a norm."""
        return self[f"{name}.weight"], self[f"{name}.bias"]


def shapes_of(config: ModelConfig, source_vocabulary: int, target_vocabulary: int) -> dict[str, Shape]:
    """Every weight's shape by its name, without its memory. Raises RecipeError where the sizes don't fit together."""
    if isinstance(config, TransformerConfig):
        return transformer_shapes(config, source_vocabulary, target_vocabulary)
    model = without_memory(config, source_vocabulary, target_vocabulary)
    return {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}


def without_memory(config: ModelConfig, source_vocabulary: int, target_vocabulary: int) -> Seq2SeqModel[Any]:
    """The model as modules whose weights are shapes alone. Raises RecipeError where the sizes don't fit together."""
    import torch

    with torch.device("meta"):
        return without_values(config, source_vocabulary, target_vocabulary)


def without_values(config: ModelConfig, source_vocabulary: int, target_vocabulary: int) -> Seq2SeqModel[Any]:
    """The model in eval mode, its weights without values, for `fill`. Raises RecipeError where the sizes don't fit."""
    from polyhead.model.build import build_model
    from polyhead.model.uninitialised import Uninitialised

    with Uninitialised():
        return build_model(config, source_vocabulary, target_vocabulary).eval()


def fill(model: Seq2SeqModel[Any], arrays: Mapping[str, Floats]) -> None:
    """Makes the arrays, one for each name, the model's weights: they are the same memory."""
    import torch

    for name, parameter in model.named_parameters():
        parameter.data = torch.from_numpy(arrays[name])
