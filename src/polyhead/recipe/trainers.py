"""From parts to a trainer, at the beginning of a run or at its newest checkpoint.

Process 0 looks for the checkpoints of an interrupted run, and tells the other processes where training stands.
"""

from collections.abc import Callable
from functools import partial

import torch

from polyhead.bundle.save import save_weights
from polyhead.data.loader import Loader, Position
from polyhead.recipe.arrangement import Arrangement, replicated
from polyhead.recipe.assemble import Parts
from polyhead.recipe.restore import Start, choose_checkpoint
from polyhead.recipe.schema import Recipe
from polyhead.run_lock import Held
from polyhead.training.averaging import RunningMean
from polyhead.training.checkpoint import Progress
from polyhead.training.ending import Budget
from polyhead.training.interrupt import Interrupt
from polyhead.training.kept import Kept
from polyhead.training.log import Display, MetricsFile, SilentDisplay
from polyhead.training.loop import Batches, Trainer
from polyhead.training.output import Elsewhere, OnDisk, Output
from polyhead.training.parallel import seed_of
from polyhead.training.schedule import build_schedule
from polyhead.training.world import ALONE, World

Begin = Callable[[Arrangement, RunningMean | None], Start]
"""Finds where a run stands."""
Open = Callable[[Arrangement, Progress], Output]


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

    def begin(arranged: Arrangement, mean: RunningMean | None) -> Start:
        if not resume:
            return Start()
        return choose_checkpoint(directory, arranged.load, arranged.optimizer, mean, display)

    def open_output(arranged: Arrangement, progress: Progress) -> Output:
        file = MetricsFile(directory / "metrics.jsonl", progress.update if resume else None, not progress.unjudged)
        kept = Kept(directory, recipe.training.averaging, arranged.write)
        return OnDisk(kept, file, partial(save_weights, recipe.out), held.check)

    return _make(parts, recipe, device, display, begin, open_output, world.broadcast(budget), world)


def make_follower(parts: Parts, recipe: Recipe, device: torch.device, world: World) -> Trainer:
    """The trainer of a process other than process 0. It says nothing, and writes at most its part of checkpoints."""

    def begin(arranged: Arrangement, mean: RunningMean | None) -> Start:
        return Start()  # until process 0 tells

    def open_output(arranged: Arrangement, progress: Progress) -> Output:
        checkpoints = recipe.out / "training" / "checkpoints"
        write = partial(arranged.write, checkpoints) if arranged.others_write else None
        return Elsewhere(recipe.training.averaging, write)

    return _make(parts, recipe, device, SilentDisplay(), begin, open_output, world.broadcast(None), world)


def _make(
    parts: Parts,
    recipe: Recipe,
    device: torch.device,
    display: Display,
    begin: Begin,
    open_output: Open,
    budget: Budget | None,
    world: World,
) -> Trainer:
    config = recipe.training
    words = parts.model.output_layer.weight.size(0)
    arranged = _arranged(parts, recipe, device, display, world)
    optimizer, mean = arranged.optimizer, None
    if config.averaging.kind == "ema":
        mean = RunningMean(optimizer.masters, config.averaging.decay)
    start = begin(arranged, mean)
    arranged.take_up(start, mean)
    progress = world.broadcast(start.progress)
    return Trainer(
        differentiation=arranged.differentiation,
        optimizer=optimizer,
        words=words,
        schedule=build_schedule(config.schedule, recipe.model.d_model, config.max_updates),
        stream=partial(_batches, parts, recipe),
        judge=arranged.judge,
        config=config,
        output=open_output(arranged, progress),
        display=display,
        progress=progress,
        interrupt=Interrupt(),
        world=world,
        seed=seed_of(recipe.seed, 1),
        running_mean=mean,
        budget=budget,
    )


def _arranged(parts: Parts, recipe: Recipe, device: torch.device, display: Display, world: World) -> Arrangement:
    """The arrangement that the recipe asks for. `make_plan` has checked that a divided model has several processes."""
    if not recipe.training.sharded:
        return replicated(parts, recipe, device, display, world)
    from polyhead.recipe.divided import divided  # imported late, as it needs torch.distributed
    from polyhead.training.process_group import ProcessGroup

    if not isinstance(world, ProcessGroup):
        raise TypeError(f"a model is divided among processes of torch.distributed, not of {type(world).__name__}")
    return divided(parts, recipe, device, display, world)


def _batches(parts: Parts, recipe: Recipe, start: Position, sampled_epochs: int | None) -> Batches:
    """The batches from a position on. sampled_epochs: how many epochs cut words up at random, unless the recipe says"""
    sampled = sampled_epochs if recipe.data.sampled_epochs is None else recipe.data.sampled_epochs
    loader = Loader(lambda epoch: parts.corpus(epoch, sampled), recipe.data.batching, recipe.seed)
    return loader.stream(start)
