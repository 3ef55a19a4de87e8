"""Whether a recipe can be carried out at all, before hours go into its corpus and its tokenizer."""

import torch

from polyhead.errors import RecipeError
from polyhead.hardware import physical_memory
from polyhead.model.build import build_model
from polyhead.recipe.schema import Recipe
from polyhead.training.precision import choose_arithmetic

_FEWEST_PIECES = 300
"""Of a vocabulary, about: no subword vocabulary has fewer. So sizes are estimated from below."""
_BYTES = 4
"""Of a weight; gradients and moments come on top."""


def check_feasible(recipe: Recipe, device: torch.device) -> None:
    """Raises RecipeError for sizes that don't fit together, this machine's memory, or the precision asked for.

    What the recipe leaves open, as `training.workers`, is taken to be as it would have to be.
    """
    tying = recipe.model.tie_embeddings if "tie_embeddings" in recipe.model.model_fields_set else "none"
    if tying == "all" and not recipe.tokenizer.shared:
        raise RecipeError(
            'model.tie_embeddings = "all" needs one shared vocabulary; set tokenizer.shared = true or '
            'model.tie_embeddings = "output"'
        )
    training = recipe.training
    if training.workers > 1 and recipe.model.kind != "transformer":
        raise RecipeError("training.workers above 1 needs a Transformer: PyTorch's recurrent layers share one dropout")
    with torch.device("meta"):  # shapes alone, without memory
        model = build_model(recipe.model, _FEWEST_PIECES, _FEWEST_PIECES)
    _check_memory(sum(parameter.numel() for parameter in model.parameters()), device)
    open_ = "workers" not in training.model_fields_set
    cores = 1 if open_ else max(1, torch.get_num_threads() // training.workers)
    choose_arithmetic(training.precision, device, model, cores)


def _check_memory(weights: int, device: torch.device) -> None:
    """Raises RecipeError where not even the weights have room."""
    room = physical_memory()
    if device.type == "cuda":
        room = torch.cuda.get_device_properties(device).total_memory
    if room is not None and weights * _BYTES > room:
        raise RecipeError(
            f"a model of these sizes has {weights:,} weights, which take {weights * _BYTES / 2**30:,.0f} GiB, and this "
            f"machine has {room / 2**30:,.0f} GiB of memory; lower model.d_model, model.d_ff or the numbers of layers"
        )
