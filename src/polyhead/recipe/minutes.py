"""A training that may take only so many minutes: what is chosen for it follows from how fast the machine is."""

import time
from dataclasses import dataclass
from typing import Any

import torch

from polyhead.data.statistics import CorpusStatistics
from polyhead.recipe.defaults import Choice, complete
from polyhead.recipe.load import Values, make_recipe, merge
from polyhead.recipe.pace import seconds_an_update
from polyhead.recipe.schema import Recipe

SMALLER = {"base": "small", "small": "tiny", "shallow": "mini", "tiny": "mini"}
"""Preset → the one to take where there is too little time for it."""
HURRIED = 1 / 3
"""A model that can get less than this share of the updates that it needs is not worth beginning."""
FEW_UPDATES, SMALLEST_BATCH = 1_200, 2048
"""With fewer updates than these, batches of half the size teach more in the same time; and the smallest batch."""
GAIN = 1.5
"""How many times as many updates half a batch must make possible to be worth it: small batches keep cores less busy."""
USED = 0.85
"""The share of the time that goes into updates; validations and the final scores take the rest."""


@dataclass(frozen=True)
class _Draft:
    """What a recipe's tables come to on this machine."""

    values: Values
    recipe: Recipe
    chosen: dict[str, Any]
    possible: int
    """About how many updates there is time for."""


def complete_within(
    values: Values, corpus: CorpusStatistics, device: torch.device, seconds: float, processes: int = 1
) -> tuple[Values, list[Choice], int]:
    """`complete` for a run that may take so many seconds: a smaller model, and smaller batches, where time is short.

    A few updates are done, and thrown away, to estimate how many there is time for: the last value that is returned.
    """
    began = time.monotonic()
    hurried: dict[str, Choice] = {}

    def draft(values: Values) -> _Draft:
        completed, choices = complete(values, corpus, device, processes=processes)
        recipe = make_recipe(completed)
        an_update = seconds_an_update(recipe, corpus, device, processes)
        left = seconds - (time.monotonic() - began)
        return _Draft(values, recipe, {choice.key: choice.value for choice in choices}, int(USED * left / an_update))

    now = draft(values)
    limit = f"training.minutes = {now.recipe.training.minutes:g}"
    preset, batch = now.chosen.get("model.preset"), now.chosen.get("data.batching.max_tokens", 0)
    while preset in SMALLER and now.possible < HURRIED * now.recipe.training.max_updates:
        why = f"{limit} is too little for the {preset} model"
        preset = SMALLER[preset]
        hurried["model.preset"] = Choice("model.preset", preset, why)
        now = draft(merge(now.values, {"model": {"preset": preset}}))
    while batch > SMALLEST_BATCH and now.possible < FEW_UPDATES:
        batch //= 2
        halved = draft(merge(now.values, {"data": {"batching": {"max_tokens": batch}}}))
        if halved.possible < GAIN * now.possible:
            break
        why = f"{limit} is time for too few larger batches"
        hurried["data.batching.max_tokens"] = Choice("data.batching.max_tokens", batch, why)
        now = halved
    possible = max(1, now.possible)
    completed, choices = complete(now.values, corpus, device, possible=possible, processes=processes)
    return completed, [*hurried.values(), *choices], possible
