"""The description of the interface: FastAPI's, made exact about problems and about what this server's models know."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from polyhead.server.pool import ModelDirectory
from polyhead.server.problems import MEDIA_TYPE, ProblemDetails

Schema = dict[str, Any]


def describe_interface(app: FastAPI, models: Sequence[ModelDirectory]) -> Callable[[], Schema]:
    """→ a function that gives the description, the same one every time."""
    made: list[Schema] = []

    def describe() -> Schema:
        if not made:
            schema = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
            _add_problems(schema)
            made.append(schema)
        return made[0]

    return describe


def _add_problems(schema: Schema) -> None:
    """Whatever isn't a success is a problem."""
    schema.setdefault("components", {}).setdefault("schemas", {})["Problem"] = ProblemDetails.model_json_schema()
    problem = {
        "description": "What went wrong.",
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for operation in _operations(schema):
        operation["responses"].pop("422", None)
        operation["responses"]["default"] = problem


def _operations(schema: Schema) -> Iterator[Schema]:
    for path in cast("dict[str, Schema]", schema["paths"]).values():
        yield from cast("dict[str, Schema]", path).values()
