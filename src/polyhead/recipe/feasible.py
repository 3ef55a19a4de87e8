"""Whether a recipe can be carried out at all, before hours go into its corpus and its tokenizer."""

import torch

from polyhead.errors import RecipeError
from polyhead.model.trained import without_memory
from polyhead.recipe.room import SMALLEST, check_room
from polyhead.recipe.schema import Recipe
from polyhead.training.config import TrainingConfig
from polyhead.training.precision import SEVERAL_CORES, choose_arithmetic


def check_feasible(recipe: Recipe, device: torch.device) -> None:
    """Raises RecipeError for sizes that don't fit together, this machine's memory, or the precision asked for.

    A setting that the recipe leaves open, such as `training.workers`, is assumed to have a value that works.
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
    if training.sharded:
        _check_divided(training)
    check_room(recipe.model, device, divided=training.sharded)
    model = without_memory(recipe.model, SMALLEST, SMALLEST)
    open_ = "workers" not in training.model_fields_set
    cores = 1 if open_ else max(1, torch.get_num_threads() // training.workers)
    if training.sharded:
        cores = SEVERAL_CORES
    choose_arithmetic(training.precision, device, model, cores)


def _check_divided(training: TrainingConfig) -> None:
    """Raises RecipeError for settings that a model divided among processes can't have: several workers, or int8."""
    if training.workers > 1:
        raise RecipeError(
            f"training.workers = {training.workers} and training.sharded = true exclude each other, as processes that "
            "share a model must meet in every layer; leave out training.workers and start more processes"
        )
    if training.precision == "int8":
        raise RecipeError(
            'training.precision = "int8" and training.sharded = true exclude each other, as kernels of 8-bit products '
            'need whole weights; take "bfloat16", "float32" or "auto"'
        )


def check_processes(recipe: Recipe, processes: int) -> None:
    """Raises RecipeError where a model is to be divided among processes, but there is only one."""
    if recipe.training.sharded and processes == 1:
        raise RecipeError(
            "training.sharded = true divides a model among several processes, and this is one: start several with "
            "`torchrun --nproc-per-node N -m polyhead train`, or give --training.sharded false, also to go on with a "
            "run that several have begun"
        )
