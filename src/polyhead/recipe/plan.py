"""What is found out and decided before a recipe is carried out: its languages, its text, and what it leaves open."""

import time
from dataclasses import dataclass

import numpy as np
import torch

from polyhead.data.suspicions import of_validation
from polyhead.recipe.defaults import Choice, complete
from polyhead.recipe.expectation import of_schedule, what_to_expect
from polyhead.recipe.feasible import check_feasible, check_processes
from polyhead.recipe.languages import with_languages
from polyhead.recipe.load import Values, make_recipe
from polyhead.recipe.minutes import complete_within
from polyhead.recipe.prepare import Pairs
from polyhead.recipe.schema import Recipe
from polyhead.recipe.stored import read_corpus, store_for
from polyhead.training.world import ALONE, World


@dataclass(frozen=True)
class Plan:
    """A recipe that leaves nothing open, the text that it is for, and where it is trained."""

    recipe: Recipe
    choices: list[Choice]
    pairs: Pairs
    device: torch.device


def make_plan(values: Values, begun: Values | None = None, began: float | None = None, world: World = ALONE) -> Plan:
    """Reads the corpus of a recipe's tables and chooses what they leave open. What is found out is said.

    begun: the record of a run to go on with
    began: when the command began, by the monotonic clock; None: now
    world: the processes that will train
    Raises RecipeError and DataError for what is wrong with the tables or the text.
    """
    began = time.monotonic() if began is None else began
    draft = make_recipe(values)
    if draft.threads is not None:
        torch.set_num_threads(draft.threads)
    device = choose_device(world)
    check_processes(draft, world.size)
    check_feasible(draft, device)
    say = world.say
    values = with_languages(values, begun, say)
    draft = make_recipe(values)
    say("reading the corpus")
    place = store_for(draft)
    stored = [] if place is None else [Choice("data.store", *place)]
    pairs = read_corpus(draft, say)
    say(str(pairs.report))
    judged = () if pairs.held_out else (*pairs.dev, *pairs.flawed)
    learnt = pairs.contents if judged else np.zeros(0, np.uint64)
    for sentence in [*what_to_expect(pairs), *pairs.facts.suspicions, *of_validation(judged, learnt)]:
        say(sentence)
    corpus, minutes = pairs.facts.statistics, draft.training.minutes
    possible = None
    if minutes is None or begun is not None or draft.training.sharded:  # one process alone can't time a divided model
        completed, choices = complete(values, corpus, device, begun, processes=world.size)
    else:
        seconds = 60 * minutes - (time.monotonic() - began)
        completed, choices, possible = complete_within(values, corpus, device, seconds, world.size)
    recipe = make_recipe(completed)
    check_feasible(recipe, device)
    for sentence in of_schedule(recipe, possible):
        say(sentence)
    return Plan(recipe, [*stored, *choices], pairs, device)


def choose_device(world: World = ALONE) -> torch.device:
    """Where models are trained: on a GPU if there is one; each of several processes has its own."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device("cuda") if world.size == 1 else torch.device("cuda", world.local_rank)
