"""From parts to a trainer: at the beginning of a run, or where its newest checkpoint stands.

One process of a world writes, and reads what an earlier sitting left; the others are told where training stands.
"""

from collections.abc import Callable
from functools import partial

import torch

from polyhead.bundle.save import save_weights
from polyhead.data.loader import Loader, Position
from polyhead.errors import TrainingError
from polyhead.recipe.assemble import Parts
from polyhead.recipe.restore import restore
from polyhead.recipe.schema import Recipe
from polyhead.run_lock import Held
from polyhead.training.averaging import RunningMean
from polyhead.training.checkpoint import Progress
from polyhead.training.ending import Budget
from polyhead.training.fused.fuse import fuse
from polyhead.training.interrupt import Interrupt
from polyhead.training.kept import Kept
from polyhead.training.log import Display, MetricsFile, SilentDisplay
from polyhead.training.loop import Batches, Trainer
from polyhead.training.optimizer import Optimizer
from polyhead.training.output import Elsewhere, OnDisk, Output
from polyhead.training.parallel import Workers, seed_of
from polyhead.training.precision import Arithmetic, choose_arithmetic
from polyhead.training.schedule import build_schedule
from polyhead.training.state import take_up, tensors_of
from polyhead.training.world import ALONE, World

Begin = Callable[[Optimizer, RunningMean | None], Progress]
"""Puts weights and moments where a run stands → its progress."""


def make_trainer(
    parts: Parts,
    recipe: Recipe,
    held: Held,
    device: torch.device,
    display: Display,
    resume: bool,
    budget: Budget | None = None,
    world: World = ALONE,
) -> Trainer:
    """The trainer of a process that trains alone, or of process 0.

    held: the run's directory; budget: for a run that may take only so many minutes
    """
    directory = recipe.out / "training"

    def begin(optimizer: Optimizer, mean: RunningMean | None) -> Progress:
        return restore(directory, optimizer, mean, display) if resume else Progress()

    def open_output(progress: Progress) -> Output:
        file = MetricsFile(directory / "metrics.jsonl", progress.update if resume else None, not progress.unjudged)
        kept = Kept(directory, recipe.training.averaging)
        return OnDisk(kept, file, partial(save_weights, recipe.out), held.check)

    return _make(parts, recipe, device, display, begin, open_output, world.told(budget), world)


def make_follower(parts: Parts, recipe: Recipe, device: torch.device, world: World) -> Trainer:
    """The trainer of a process that writes and says nothing, as process 0 does."""

    def begin(optimizer: Optimizer, mean: RunningMean | None) -> Progress:
        return Progress()  # until process 0 tells

    def open_output(progress: Progress) -> Output:
        return Elsewhere(recipe.training.averaging)

    return _make(parts, recipe, device, SilentDisplay(), begin, open_output, world.told(None), world)


def _make(
    parts: Parts,
    recipe: Recipe,
    device: torch.device,
    display: Display,
    begin: Begin,
    open_output: Callable[[Progress], Output],
    budget: Budget | None,
    world: World,
) -> Trainer:
    config = recipe.training
    workers = Workers(config.workers)
    arithmetic = choose_arithmetic(config.precision, device, parts.model, workers.cores)
    _check_arithmetic(world, arithmetic)
    display.message(f"precision: {arithmetic}")
    optimizer = Optimizer(parts.model, config.optimizer, arithmetic.dtype, world)
    fused = fuse(parts.model, arithmetic, workers.cores)
    if fused.plain:
        display.message(f"computed by PyTorch, as there are no kernels for it: {', '.join(fused.plain)}")
    mean = None
    if config.averaging.kind == "ema":
        mean = RunningMean(optimizer.masters, config.averaging.decay)
    progress = _begun(begin, optimizer, mean, world)
    return Trainer(
        fused=fused,
        optimizer=optimizer,
        schedule=build_schedule(config.schedule, recipe.model.d_model, config.max_updates),
        stream=partial(_batches, parts, recipe),
        judge=parts.validator,
        config=config,
        output=open_output(progress),
        display=display,
        progress=progress,
        interrupt=Interrupt(),
        workers=workers,
        world=world,
        seed=seed_of(recipe.seed, 1),
        running_mean=mean,
        budget=budget,
    )


def _begun(begin: Begin, optimizer: Optimizer, mean: RunningMean | None, world: World) -> Progress:
    """Where the run stands, in every process: there weights and moments are those of process 0."""
    progress = begin(optimizer, mean)
    if world.size > 1:
        tensors = world.shared(tensors_of(optimizer, mean))
        if world.rank > 0:
            take_up(optimizer, mean, tensors)
    return world.told(progress)


def _check_arithmetic(world: World, arithmetic: Arithmetic) -> None:
    """Raises TrainingError, in all processes, where the machines would choose different ones."""
    found = world.gathered(str(arithmetic))
    if others := [rank for rank, name in enumerate(found) if name != found[0]]:
        raise TrainingError(
            f"process {others[0]} would compute in {found[others[0]]} and process 0 in {found[0]}, as their machines "
            "differ; say what all can do with --training.precision, such as float32"
        )


def _batches(parts: Parts, recipe: Recipe, start: Position, sampled_epochs: int | None) -> Batches:
    """The batches from a position on, with words cut up at random in so many epochs unless the recipe says."""
    sampled = sampled_epochs if recipe.data.sampled_epochs is None else recipe.data.sampled_epochs
    loader = Loader(lambda epoch: parts.corpus(epoch, sampled), recipe.data.batching, recipe.seed)
    return loader.stream(start)
