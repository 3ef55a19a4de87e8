"""Every key that a recipe may have, from the settings classes themselves: what it takes, its default, what it means."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, get_args

import torch
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from polyhead.data.statistics import CorpusStatistics
from polyhead.model.config import PRESETS
from polyhead.recipe.decisions import SOME_DATA
from polyhead.recipe.defaults import complete
from polyhead.recipe.in_words import as_toml, describe
from polyhead.recipe.load import CAN_BE_NONE, NONE
from polyhead.recipe.schema import Recipe

READERS = ("train", "dev", "test")
"""Keys of `[data]` that hold readers; all take the same kinds, which are described once."""
IMPLIED_KIND = "transformer"
"""The only kind that need not be named: `make_recipe` puts it in."""


@dataclass(frozen=True)
class Key:
    """One key of a recipe."""

    name: str
    """The key with its tables, such as training.schedule.warmup."""
    takes: str
    """Type and bounds in words."""
    default: str
    """The default as a recipe or a command line would give it; empty where the key must be given or is unset."""
    needed: bool
    """Whether the key must be given."""
    chosen: bool
    """Whether training may choose a value by corpus and machine where the key is left open, instead of `default`."""
    meaning: str


@dataclass(frozen=True)
class Table:
    """One table of a recipe. For `[model]` and for readers there is one for each kind."""

    name: str
    """The table's name, empty for the keys at the top."""
    kind: str | None
    meaning: str
    keys: tuple[Key, ...]


def tables() -> list[Table]:
    """Every table of a recipe, outer ones first."""
    return list(_walk(Recipe, "", chosen_keys()))


def chosen_keys() -> frozenset[str]:
    """The keys that training chooses by corpus and machine where they are left open."""
    usual = CorpusStatistics(30_000, 30_000, 100, 400_000, 400_000)
    small = CorpusStatistics(1_000, 3_000, 100, 14_000, 14_000)
    large = replace(usual, read=50_000_000)
    found: set[str] = set()
    for corpus, shared in product((usual, small, large), (True, False)):
        values = {**SOME_DATA, "tokenizer": {"shared": shared}}
        found |= {choice.key for choice in complete(values, corpus, torch.device("cpu"), threads=2)[1]}
    return frozenset(found)


def _walk(settings: type[BaseModel], name: str, chosen: frozenset[str], kind: str | None = None) -> Iterator[Table]:
    keys = [_preset()] if kind == IMPLIED_KIND else []
    below: list[tuple[str, type[BaseModel]]] = []
    for field, info in settings.model_fields.items():
        full = f"{name}.{field}" if name else field
        inside = _settings(info.annotation)
        if not inside or field in READERS:
            key = _key(full, info, chosen)
            is_a_kind = field == "kind" and kind not in (None, IMPLIED_KIND)
            keys.append(replace(key, default="", needed=True) if is_a_kind else key)
        if field not in READERS[1:]:
            below += [(full, each) for each in inside]
    yield Table(name, kind, (settings.__doc__ or "").strip(), tuple(keys))
    for full, each in below:
        of_kind = str(each.model_fields["kind"].default) if len(_of(below, full)) > 1 else None
        yield from _walk(each, full, chosen, of_kind)


def _of(below: list[tuple[str, type[BaseModel]]], name: str) -> list[type[BaseModel]]:
    return [settings for full, settings in below if full == name]


def _settings(annotation: Any) -> list[type[BaseModel]]:
    """The settings classes inside an annotation such as `tuple[Annotated[A | B, …], …]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for inside in get_args(annotation) for found in _settings(inside)]


def _key(name: str, info: FieldInfo, chosen: frozenset[str]) -> Key:
    needed = info.is_required()
    can_be_none = name.rpartition(".")[2] in CAN_BE_NONE and type(None) in get_args(info.annotation)
    if _settings(info.annotation):
        takes = "list of readers" + (", one at least" if needed else "")
    else:
        takes = describe(info.annotation, info.metadata) + (f", or {NONE}" if can_be_none else "")
    unset = NONE if can_be_none else ""
    default = "" if needed else unset if info.default is None else as_toml(info.default)
    return Key(name, takes, default, needed, name in chosen, info.description or "")


def _preset() -> Key:
    """The key `model.preset`, which isn't a field: it stands for the fields that it sets."""
    sizes = "; ".join(f"`{name}`: " + ", ".join(f"{k} {v}" for k, v in keys.items()) for name, keys in PRESETS.items())
    meaning = f"Sizes by name; single keys given beside it win. {sizes}. `base` and `big` are the paper's (table 3)."
    return Key("model.preset", ", ".join(map(as_toml, PRESETS)), "", needed=False, chosen=True, meaning=meaning)
