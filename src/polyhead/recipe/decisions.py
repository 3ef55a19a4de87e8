"""What is decided before a recipe is carried out: which keys are given, and what is chosen for those left open."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from polyhead.model.config import PRESETS
from polyhead.recipe.in_words import as_toml
from polyhead.recipe.load import Values, make_recipe
from polyhead.recipe.plan import make_plan


@dataclass(frozen=True)
class Decision:
    """The value that a key has instead of its default."""

    by: Literal["given", "chosen"]
    value: Any
    why: str = ""

    def __str__(self) -> str:
        return f"{self.by}: {as_toml(self.value)}" + (f" ({self.why})" if self.why else "")


def decide(values: Values) -> dict[str, Decision]:
    """What a recipe's tables give, and what training would choose for their corpus, by the keys with their paths.

    Without `data` there is no corpus to choose by, and the result is only what was given. Raises RecipeError and
    DataError for the same mistakes in the same words as training.
    """
    if "data" in values:
        choices = make_plan(values).choices
    else:
        make_recipe({**values, **SOME_DATA})
        choices = []
    found = {choice.key: Decision("chosen", choice.value, choice.why) for choice in choices}
    found |= {key: Decision("given", value) for key, value in _leaves(values)}
    return {**_sizes(found.get("model.preset")), **found}


SOME_DATA: Values = {"data": {"train": [{"kind": "lines", "source": "source", "target": "target"}]}}
"""What completes a recipe that names no text, so that its other keys can be looked at."""


def _leaves(values: Mapping[str, Any], table: str = "") -> Iterator[tuple[str, Any]]:
    """Every key that is no table, with its path."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _leaves(cast(Values, value), f"{table}{key}.")
        else:
            yield f"{table}{key}", value


def _sizes(preset: Decision | None) -> dict[str, Decision]:
    """The keys that a preset stands for."""
    if preset is None:
        return {}
    why = f"model.preset = {as_toml(preset.value)}"
    return {f"model.{key}": Decision(preset.by, size, why) for key, size in PRESETS[preset.value].items()}
