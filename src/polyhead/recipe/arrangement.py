"""How the processes of a run hold its model, and what makes its updates, its scores and its checkpoints accordingly."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from polyhead.errors import TrainingError
from polyhead.recipe.assemble import Parts
from polyhead.recipe.restore import Start
from polyhead.recipe.schema import Recipe
from polyhead.training.averaging import RunningMean
from polyhead.training.checkpoint import Load, Write, load_checkpoint, save_checkpoint
from polyhead.training.division import Replicated
from polyhead.training.fused.fuse import fuse
from polyhead.training.judging import Judge
from polyhead.training.log import Display
from polyhead.training.optimizer import Optimizer
from polyhead.training.parallel import Workers
from polyhead.training.precision import Arithmetic, choose_arithmetic
from polyhead.training.shares import Collecting, Differentiation
from polyhead.training.state import take_up, tensors_of
from polyhead.training.world import World

TakeUp = Callable[[Start, RunningMean | None], None]
"""Sets weights, moments and running mean to where process 0 says that the run stands. All processes must call it."""


@dataclass(frozen=True)
class Arrangement:
    """The parts of a trainer that depend on whether every process holds the whole model or a part of it."""

    optimizer: Optimizer
    differentiation: Collecting
    judge: Judge
    load: Load
    """Reads a checkpoint in process 0, which looks for the one to go on from."""
    take_up: TakeUp
    write: Write
    """Writes a checkpoint in process 0, and in the other processes their parts of it, if they write any."""
    others_write: bool = False
    """Whether the other processes write a part of each checkpoint."""


def replicated(parts: Parts, recipe: Recipe, device: torch.device, display: Display, world: World) -> Arrangement:
    """The arrangement in which every process holds the whole model, and process 0 writes checkpoints of one file."""
    config = recipe.training
    workers = Workers(config.workers)
    arithmetic = choose_arithmetic(config.precision, device, parts.model, workers.cores)
    check_arithmetic(world, arithmetic)
    display.message(f"precision: {arithmetic}")
    optimizer = Optimizer(parts.model, config.optimizer, arithmetic.dtype, Replicated(world))
    fused = fuse(parts.model, arithmetic, workers.cores)
    if fused.plain:
        display.message(f"computed by PyTorch, as there are no kernels for it: {', '.join(fused.plain)}")

    def take(start: Start, mean: RunningMean | None) -> None:
        if start.path is not None:
            take_up(optimizer, mean, start.tensors)
        if world.size > 1:
            tensors = world.broadcast_tensors(tensors_of(optimizer, mean))
            if world.rank > 0:
                take_up(optimizer, mean, tensors)

    differentiation = Differentiation(fused, optimizer, workers, config.label_smoothing, world)
    return Arrangement(optimizer, differentiation, parts.validator, load_checkpoint, take, save_checkpoint)


def check_arithmetic(world: World, arithmetic: Arithmetic) -> None:
    """Raises TrainingError, in all processes, where their machines would choose different arithmetic."""
    found = world.all_gather(str(arithmetic))
    if others := [rank for rank, name in enumerate(found) if name != found[0]]:
        raise TrainingError(
            f"process {others[0]} would compute in {found[others[0]]} and process 0 in {found[0]}, as their machines "
            "differ; say what all can do with --training.precision, such as float32"
        )
