"""Whether the model that a recipe asks for can be trained here at all, before anything is made."""

from math import prod

import torch

from polyhead.errors import RecipeError
from polyhead.limits import usable_memory
from polyhead.model.config import ModelConfig
from polyhead.model.trained import shapes_of

FLOAT32 = 4
"""Bytes of a float32 number."""
KEPT = 3
"""Numbers that training keeps of each weight at least: itself, its gradient and a moment."""
SMALLEST = 5
"""Pieces of the smallest vocabulary that there can be."""


def check_room(
    config: ModelConfig,
    device: torch.device,
    source_vocabulary: int = SMALLEST,
    target_vocabulary: int = SMALLEST,
    divided: bool = False,
) -> None:
    """Raises RecipeError where sizes don't fit together, or the weights and what goes with them don't fit in memory.

    Before the vocabularies are known, the smallest possible ones are assumed. On an accelerator, and for a model that
    is divided among processes, only the weights count: they are made in the machine's memory first.
    """
    weights = sum(prod(shape) for shape in shapes_of(config, source_vocabulary, target_vocabulary).values())
    kept = KEPT if device.type == "cpu" and not divided else 1
    needed, memory = weights * FLOAT32 * kept, usable_memory()
    if memory is not None and needed > memory:
        raise RecipeError(
            f"a model of these sizes has at least {weights:,} parameters and takes {needed / 1e9:,.0f} GB to train; "
            f"this machine or container has {memory / 1e9:,.0f} GB: make model.d_model, model.d_ff, the layers or the "
            "vocabulary smaller"
        )
