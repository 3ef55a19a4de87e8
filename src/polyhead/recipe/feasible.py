"""Whether a recipe can be carried out at all, before hours go into its corpus and its tokenizer."""

import torch

from polyhead.errors import RecipeError
from polyhead.model.build import build_model
from polyhead.recipe.room import SMALLEST, check_room
from polyhead.recipe.schema import Recipe
from polyhead.training.precision import choose_arithmetic


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
    if recipe.data.both_directions and not recipe.tokenizer.shared:
        raise RecipeError(
            "data.both_directions needs one vocabulary for both languages, as each is source and target; leave out "
            "tokenizer.shared = false"
        )
    training = recipe.training
    if training.workers > 1 and recipe.model.kind != "transformer":
        raise RecipeError("training.workers above 1 needs a Transformer: PyTorch's recurrent layers share one dropout")
    check_room(recipe.model, device)
    with torch.device("meta"):  # shapes alone, without memory
        model = build_model(recipe.model, SMALLEST, SMALLEST)
    open_ = "workers" not in training.model_fields_set
    cores = 1 if open_ else max(1, torch.get_num_threads() // training.workers)
    choose_arithmetic(training.precision, device, model, cores)
