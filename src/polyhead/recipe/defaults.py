"""What a recipe leaves open follows from the corpus and the machine, by the rules in `rules`. Every choice is said."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from polyhead.data.statistics import CorpusStatistics
from polyhead.recipe.load import Values, given, look_up, merge
from polyhead.recipe.rules import RULES, Suggestion
from polyhead.recipe.situation import Situation


@dataclass(frozen=True)
class Choice:
    """A default that was filled in, for people to read."""

    key: str
    value: Any
    why: str

    def __str__(self) -> str:
        return f"{self.key} = {self.value}  ({self.why})"


def complete(
    values: Values,
    corpus: CorpusStatistics,
    device: torch.device,
    begun: Values | None = None,
    threads: int | None = None,
    possible: int | None = None,
    processes: int = 1,
) -> tuple[Values, list[Choice]]:
    """Fills in what `values`, which are valid, leave open for a corpus → all values, the choices.

    begun: the record of a run to go on with, from another machine or an older version perhaps: its choices stay
    threads: CPU threads; None: as many as PyTorch uses
    possible: how many updates there is time for; None: any number
    processes: how many processes train together, each with `threads` threads
    """
    choices: list[Choice] = []
    threads = threads or torch.get_num_threads()
    for rule in RULES:
        suggestions = rule(Situation(values, corpus, device.type, threads, possible, begun, processes))
        values = _fill(values, suggestions, begun or {}, choices)
    return values, choices


def _fill(values: Values, suggestions: Sequence[Suggestion], begun: Values, choices: list[Choice]) -> Values:
    """Takes each suggestion whose key is not given, and notes it."""
    for key, value, why in suggestions:
        keys = key.split(".")
        if not given(values, keys):
            chosen, reason = (look_up(begun, keys), "as the run was begun") if given(begun, keys) else (value, why)
            choices.append(Choice(key, chosen, reason))
            values = merge(_nested(keys, chosen), values)
    return values


def _nested(keys: Sequence[str], value: Any) -> Values:
    for key in reversed(keys):
        value = {key: value}
    return value
