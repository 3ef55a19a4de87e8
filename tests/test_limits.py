"""No number in settings, requests or commands is without bounds, whoever adds one."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import cyclopts
import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

import polyhead
from polyhead.cli import COMMANDS
from polyhead.config import Config

MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(polyhead.__path__, "polyhead.")
    if not found.name.endswith("__main__")
]


def descendants(kind: type) -> Iterator[type]:
    for child in kind.__subclasses__():
        yield child
        yield from descendants(child)


def requests() -> Iterator[type[BaseModel]]:
    for module in MODULES:
        for name, value in vars(module).items():
            if name.endswith("Request") and isinstance(value, type) and issubclass(value, BaseModel):
                yield value


OURS = {kind for kind in descendants(Config) if kind.__module__.startswith("polyhead.")}
SETTINGS = sorted({*OURS, *requests()}, key=lambda kind: kind.__qualname__)


def numbers(annotation: Any, metadata: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """What is said of each number that an annotation allows."""
    if get_origin(annotation) is Annotated:
        inside, *more = get_args(annotation)
        yield from numbers(inside, (*metadata, *more))
    elif annotation in (int, float):
        yield metadata
    elif get_args(annotation):
        for part in get_args(annotation):
            yield from numbers(part, metadata)


def bounds(metadata: tuple[Any, ...]) -> set[str]:
    """The bounds that are among the metadata, however deep."""
    found: set[str] = set()
    for one in metadata:
        found |= {name for name in ("ge", "gt", "le", "lt") if getattr(one, name, None) is not None}
        found |= {name[:2] for name in ("gte", "gt", "lte", "lt") if getattr(one, name, None) is not None}
        found |= bounds(tuple(one.metadata)) if isinstance(one, FieldInfo) else set()
    return found


def is_bounded(metadata: tuple[Any, ...]) -> bool:
    found = bounds(metadata)
    return bool(found & {"ge", "gt"} and found & {"le", "lt"})


def test_settings_are_found() -> None:
    names = {kind.__name__ for kind in SETTINGS}
    assert {"Recipe", "BundleConfig", "SamplingConfig", "ServerConfig", "Head", "TranslateRequest"} <= names


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda kind: kind.__name__)
def test_every_number_in_settings_has_a_lower_and_an_upper_bound(settings: type[BaseModel]) -> None:
    unbounded = [
        name
        for name, field in settings.model_fields.items()
        for said in numbers(field.annotation, tuple(field.metadata))
        if not is_bounded(said)
    ]
    assert unbounded == []


def routes() -> Iterator[Any]:
    for module in MODULES:
        if module.__name__.startswith("polyhead.server.routes.") and hasattr(module, "router"):
            yield from module.router.routes


def test_every_number_in_an_address_of_the_server_has_both_bounds() -> None:
    seen, unbounded = 0, []
    for route in routes():
        for field in (*route.dependant.query_params, *route.dependant.path_params):
            for said in numbers(field.field_info.annotation, tuple(field.field_info.metadata)):
                seen += 1
                unbounded += [] if is_bounded(said) else [f"{route.path}: {field.name}"]
    assert seen > 5
    assert unbounded == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_number_of_a_command_has_both_bounds(command: str) -> None:
    function = getattr(importlib.import_module(f"polyhead.cli.{command}"), command)
    hints = get_type_hints(function, include_extras=True)
    for name in inspect.signature(function).parameters:
        for said in numbers(hints[name], ()):
            checks = [one.validator for one in said if isinstance(one, cyclopts.Parameter)]
            assert is_bounded(
                tuple(check for some in checks for check in (some if isinstance(some, tuple) else [some]))
            ), name


def test_the_check_sees_a_number_without_a_bound() -> None:
    assert not is_bounded(next(numbers(int | NoneType, ())))
