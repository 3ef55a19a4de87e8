"""The directive `recipe-keys`: every key a recipe may have, from the settings classes themselves.

It writes a section for each table and in it a `{key}` for each key. So guides can refer to {key}`training.patience`,
and a key that is gone is an error of the build.
"""

import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import torch
from docutils import nodes
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from polyhead.model.config import PRESETS
from polyhead.recipe.defaults import complete
from polyhead.recipe.schema import Recipe

WORDS = {int: "integer", float: "number", str: "text", bool: "true or false", Path: "path", type(None): "none"}
BOUNDS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
READERS = ("train", "dev", "test")
"""Keys of `[data]` that hold readers; all take the same kinds, which are described once."""


CHOSEN = "chosen for corpus and machine"


@dataclass(frozen=True)
class Key:
    """One key as the reference shows it."""

    name: str
    """With its tables: training.schedule.warmup."""
    takes: str
    default: str
    """Empty where the key must be given."""
    text: str


@dataclass(frozen=True)
class Table:
    """One table of a recipe; of `[model]` and of readers, one for each kind."""

    name: str
    """Empty for the keys at the top."""
    kind: str | None
    text: str
    keys: tuple[Key, ...]

    @property
    def title(self) -> str:
        shown = f"`[{self.name}]`" if self.name else "At the top"
        return f"{shown}, kind `{self.kind}`" if self.kind else shown


def tables() -> list[Table]:
    """Every table of a recipe, outer ones first."""
    return list(_walk(Recipe, "", chosen_keys()))


def chosen_keys() -> frozenset[str]:
    """The keys that `polyhead train` chooses by corpus and machine where they are left open."""
    found = {"tokenizer.vocabulary_size"}
    for shared in (True, False):
        values = {"data": {}, "tokenizer": {"shared": shared}}
        begun = {"training": {"workers": 2}}
        found |= {choice.key for choice in complete(values, 1000, torch.device("cpu"), begun)[1]}
    return frozenset(found)


def _walk(settings: type[BaseModel], name: str, chosen: frozenset[str], kind: str | None = None) -> Iterator[Table]:
    keys = [_preset()] if kind == "transformer" else []
    below: list[tuple[str, type[BaseModel]]] = []
    for field, info in settings.model_fields.items():
        full = f"{name}.{field}" if name else field
        inside = _settings(info.annotation)
        if not inside or field in READERS:
            key = _key(full, info, chosen)
            # A kind must be named, the Transformer's apart: make_recipe puts it in.
            keys.append(replace(key, default="") if kind and field == "kind" and kind != "transformer" else key)
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
    if _settings(info.annotation):
        takes = "list of readers" + (", one at least" if info.is_required() else "")
    else:
        takes = describe(info.annotation, info.metadata)
    default = "" if info.is_required() else shown(info.default)
    if name in chosen:
        default = CHOSEN if info.default is None else f"{CHOSEN}, else {default}"
    return Key(name, takes, default, info.description or "")


def _preset() -> Key:
    """`model.preset` is no field: it stands for the fields that it sets."""
    sizes = "; ".join(f"`{name}`: " + ", ".join(f"{k} {v}" for k, v in keys.items()) for name, keys in PRESETS.items())
    text = f"Sizes by name; single keys given beside it win. {sizes}. `base` and `big` are the paper's (table 3)."
    return Key("model.preset", ", ".join(map(shown, PRESETS)), CHOSEN, text)


def describe(annotation: Any, metadata: list[Any]) -> str:
    """A type and its bounds in words: `integer ≥ 1, or none`."""
    origin = get_origin(annotation)
    if origin is Annotated:
        base, *more = get_args(annotation)
        return describe(base, [*metadata, *more])
    if origin in (Union, types.UnionType):
        return ", or ".join(describe(part, metadata if part is not type(None) else []) for part in get_args(annotation))
    if origin is Literal:
        return ", ".join(shown(value) for value in get_args(annotation))
    return " ".join([WORDS[annotation], *_bounds(metadata)])


def _bounds(metadata: list[Any]) -> Iterator[str]:
    marks: list[str] = []
    for bound in metadata:
        if isinstance(bound, FieldInfo):
            marks += _bounds(bound.metadata)
        else:
            marks += [
                f"{sign} {_number(getattr(bound, name))}" for name, sign in BOUNDS.items() if hasattr(bound, name)
            ]
    yield from [" and ".join(marks)] if marks else []


def _number(bound: float) -> str:
    return f"{bound:,}" if isinstance(bound, int) else f"{bound:g}"


def shown(value: Any) -> str:
    """A value as TOML, or as the command line, would have it."""
    if value is None or value is PydanticUndefined:
        return "`none`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return "`[]`"
    return f'`"{value}"`' if isinstance(value, str | Path) else f"`{value}`"


def markdown(found: list[Table]) -> str:
    """A section for each table. Where kinds share a key's name, references go to the first."""
    lines: list[str] = []
    seen: set[str] = set()
    for table in found:
        lines += [f"## {table.title}", "", table.text, ""]
        for key in table.keys:
            default = f"default {key.default}" if key.default else "must be given"
            index = [":no-index:"] if key.name in seen else []
            lines += [f"::::{{key}} {key.name}", *index, "", f"{key.takes} · {default}", "", key.text, "::::", ""]
            seen.add(key.name)
    return "\n".join(lines)


class RecipeKeys(SphinxDirective):
    """`recipe-keys`, without arguments."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(markdown(tables()), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_object_type("key", "key", objname="recipe key")
    app.add_directive("recipe-keys", RecipeKeys)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
