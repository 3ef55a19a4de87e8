"""Carries a recipe out: files in, a model directory out."""

import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import torch

from polyhead.bundle.profiles import save_profiles
from polyhead.cores import cores_an_operation
from polyhead.errors import RecipeError, counted
from polyhead.files import remove_leftovers
from polyhead.manifest import settle
from polyhead.memory.freed import trim
from polyhead.recipe.assemble import assemble
from polyhead.recipe.finish import finish, read_scores, remove_scores
from polyhead.recipe.folders import WRITTEN_BY_DISTILLING, WRITTEN_BY_TRAINING
from polyhead.recipe.load import Values, make_recipe
from polyhead.recipe.plan import make_plan
from polyhead.recipe.prepare import Pairs
from polyhead.recipe.profiles import profiles_of
from polyhead.recipe.record import (
    check_same,
    check_started,
    read_record,
    started,
    write_record,
)
from polyhead.recipe.schema import Recipe
from polyhead.recipe.sharing import Orders
from polyhead.recipe.signals import stop_on_signals
from polyhead.recipe.trainers import make_trainer
from polyhead.run_lock import Held, exclusive
from polyhead.training.ending import Budget
from polyhead.training.log import Display, make_display
from polyhead.training.world import ALONE, World

BEAM = 4.0
"""How much longer a beam search with all metrics takes than a validation."""


@dataclass(frozen=True)
class Outcome:
    """What became of a run."""

    directory: Path
    finished: bool
    """False when a signal ended it early; `--resume` goes on."""
    scores: Mapping[str, Mapping[str, float]]
    """Dev and test set → metric → value."""


def train(values: Values, *, resume: bool = False, world: World = ALONE, began: float | None = None) -> Outcome:
    """Trains what `values` (a recipe's tables) describe, and writes the model directory.

    world: the processes that train together, of which this is process 0; the others `follow`
    began: when the command began, by the monotonic clock; None: now
    Raises RecipeError, DataError, WriteError or TrainingError, and PolyheadError where another process trains in that
    directory; what was written stays, and `resume` goes on from it.
    """
    with exclusive(directory_of(values)) as held:
        again = world.has_begun() and started(held.directory)
        return train_in(held, values, resume=resume or again, world=world, began=began)


def directory_of(values: Values) -> Path:
    """The model directory that a recipe's tables name. Raises RecipeError for wrong tables, and where it is a file."""
    directory = make_recipe(values).out
    if directory.exists() and not directory.is_dir():
        raise RecipeError(f"{directory} is a file; --out must name a directory")
    return directory


def train_in(held: Held, values: Values, *, resume: bool, world: World = ALONE, began: float | None = None) -> Outcome:
    """`train` in a directory that this process has to itself."""
    began = time.monotonic() if began is None else began
    check_directory(held.directory, resume)
    plan = make_plan(values, read_record(held.directory) if resume else None, began, world)
    recipe, pairs = plan.recipe, plan.pairs
    if resume:
        check_same(recipe, pairs)
    if world.size > 1:
        world.broadcast(Orders.of(recipe, pairs))
    display = make_display(recipe.training.max_updates, world.say)
    try:
        for choice in plan.choices:
            display.message(f"chosen: {choice}")
        with cores_an_operation(recipe.threads or torch.get_num_threads()):
            return _run(recipe, pairs, held, plan.device, display, resume, began, world)
    finally:
        display.close()


def _run(
    recipe: Recipe,
    pairs: Pairs,
    held: Held,
    device: torch.device,
    display: Display,
    resume: bool,
    began: float,
    world: World,
) -> Outcome:
    parts = assemble(recipe, pairs, device, display, world)
    held.check()
    world.begin()
    for folder in WRITTEN_BY_TRAINING:
        (recipe.out / folder).mkdir(parents=True, exist_ok=True)
    for folder in (*WRITTEN_BY_TRAINING, *WRITTEN_BY_DISTILLING):
        remove_leftovers(recipe.out / folder)
        settle(recipe.out / folder)
    write_record(recipe, pairs)
    parts.write_description(recipe.out)
    save_profiles(recipe.out, profiles_of(pairs.train, parts.bundle.config.source_language))
    trim()  # reading and counting leave much that is free
    trainer = make_trainer(parts, recipe, held, device, display, resume, _budget(recipe, pairs, began), world)
    with closing(trainer.output), closing(trainer.differentiation), closing(trainer.optimizer):
        scores = read_scores(recipe.out) if trainer.course.is_over() else None
        if world.broadcast(scores is not None) and scores is not None:
            display.message(f"{recipe.out}: this run is finished, after {counted(trainer.progress.update, 'update')}")
            return Outcome(recipe.out, True, scores)
        remove_scores(recipe.out)
        with stop_on_signals(trainer.interrupt):
            done = trainer.run()
    if not done:
        display.message(
            f"stopped after update {trainer.progress.update}; the same command with --resume goes on from there"
        )
        return Outcome(recipe.out, False, {})
    return Outcome(recipe.out, True, finish(recipe, parts.bundle, trainer, pairs, display))


def _budget(recipe: Recipe, pairs: Pairs, began: float) -> Budget | None:
    """The time that the run may take; None: any. began: when the command began, by the monotonic clock"""
    if recipe.training.minutes is None:
        return None
    judged = len(pairs.dev) + sum(len(test) for _, test in pairs.test)
    return Budget(60 * recipe.training.minutes, time.monotonic() - began, BEAM * judged / len(pairs.dev))


def check_directory(directory: Path, resume: bool) -> None:
    """Raises RecipeError where a run cannot begin, or be resumed, in this directory."""
    if resume:
        check_started(directory)
    if not resume and (started(directory) or (directory / "config.json").exists()):
        raise RecipeError(f"{directory} already holds a model or a run: go on with --resume, or choose another --out")
