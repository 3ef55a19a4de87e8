"""A training that may take only so many minutes: what is chosen for it follows from how fast the machine is."""

import torch

from polyhead.data.statistics import CorpusStatistics
from polyhead.recipe.defaults import Choice, complete
from polyhead.recipe.load import Values, make_recipe, merge
from polyhead.recipe.pace import seconds_an_update
from polyhead.recipe.rules import HURRIED

SMALLER = {"base": "small", "small": "tiny", "shallow": "tiny"}
USED = 0.85
"""The share of the time that goes into updates; validations and the final scores take the rest."""


def complete_within(
    values: Values, corpus: CorpusStatistics, device: torch.device, seconds: float, processes: int = 1
) -> tuple[Values, list[Choice], int]:
    """`complete` for a run that may take so many seconds: a smaller model where a larger one could not be trained.

    A few updates are done, and thrown away, to estimate how many there is time for: the last value that is returned.
    """
    why = ""
    while True:
        completed, choices = complete(values, corpus, device, processes=processes)
        recipe = make_recipe(completed)
        possible = max(1, int(USED * seconds / seconds_an_update(recipe, corpus, device, processes)))
        chosen = {choice.key: choice.value for choice in choices}
        smaller = SMALLER.get(str(chosen.get("model.preset")))
        if smaller is None or possible >= HURRIED * recipe.training.max_updates:
            break
        why = f"training.minutes = {recipe.training.minutes:g} is too little for the {chosen['model.preset']} model"
        values = merge(values, {"model": {"preset": smaller}})
    completed, choices = complete(values, corpus, device, possible=possible, processes=processes)
    if why:
        choices = [Choice("model.preset", values["model"]["preset"], why), *choices]
    return completed, choices, possible
