"""The description of the interface: FastAPI's, made exact about problems and about what this server's models know."""

from collections.abc import Callable, Iterator, Sequence
from mimetypes import guess_type
from typing import Any, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from polyhead.server.body import FILES
from polyhead.server.choices import CHOICES
from polyhead.server.dialects import speaks_deepl
from polyhead.server.directions import sources, targets
from polyhead.server.fields import MULTIPART
from polyhead.server.file_translation import FileFormats
from polyhead.server.pool import ModelDirectory
from polyhead.server.problems import MEDIA_TYPE, ProblemDetails

Schema = dict[str, Any]

TRACES = "/api/traces"


def describe_interface(app: FastAPI, models: Sequence[ModelDirectory], formats: FileFormats) -> Callable[[], Schema]:
    """Gives a function that returns the description, which is made when it is first called."""
    made: list[Schema] = []

    def describe() -> Schema:
        if not made:
            schema = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
            _add_problems(schema)
            _add_choices(schema, models)
            _add_links(schema)
            _add_file_types(schema, formats)
            made.append(schema)
        return made[0]

    return describe


def _add_problems(schema: Schema) -> None:
    """Describes every answer that isn't a success as a problem."""
    schema["components"]["schemas"]["Problem"] = ProblemDetails.model_json_schema()
    problem = {
        "description": "What went wrong.",
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    message = {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}
    said = {"description": problem["description"], "content": {"application/json": {"schema": message}}}
    for address, path in cast("dict[str, Schema]", schema["paths"]).items():
        for operation in cast("dict[str, Schema]", path).values():
            operation["responses"].pop("422", None)
            operation["responses"]["default"] = said if speaks_deepl(address) else problem


def _add_choices(schema: Schema, models: Sequence[ModelDirectory]) -> None:
    """Adds which models and languages there are. Where every model writes several languages, a target is required."""
    names = {"models": [model.id for model in models], "sources": sources(models), "targets": targets(models)}
    if all(model.config.tagged for model in models):
        for part in list(_parts(schema)):
            _require_target(part)
    for part in list(_parts(schema)):
        known = names.get(part.pop(CHOICES, ""))
        if known:
            part["enum"] = known


def _require_target(part: Schema) -> None:
    """Makes a target language that may be left out a required field of its object."""
    fields = cast("dict[str, Schema]", part.get("properties", {}))
    for name, field in fields.items():
        for kind in cast("list[Schema]", field.get("anyOf", [])):
            if kind.get(CHOICES) == "targets":
                fields[name] = {"title": field["title"], **kind}
                part["required"] = sorted({*part.get("required", []), name})


def _add_links(schema: Schema) -> None:
    """Links the answer that makes a trace to the addresses that take the trace's id."""
    links: dict[str, Schema] = {}
    for path, operations in cast("dict[str, dict[str, Schema]]", schema["paths"]).items():
        if path.startswith(f"{TRACES}/{{id}}"):
            for operation in operations.values():
                name = operation["operationId"]
                links[name] = {"operationId": name, "parameters": {"id": "$response.body#/id"}}
    schema["paths"][TRACES]["post"]["responses"]["201"]["links"] = links


def _add_file_types(schema: Schema, formats: FileFormats) -> None:
    """Adds the media types of the files that can be translated."""
    types = sorted({guess_type(f"file{suffix}")[0] or "application/octet-stream" for suffix in formats.suffixes})
    content = schema["paths"][FILES]["post"]["requestBody"]["content"]
    content[MULTIPART]["encoding"] = {"file": {"contentType": ", ".join(types)}}


def _parts(value: object) -> Iterator[Schema]:
    """Every object in a description, the outermost first."""
    if isinstance(value, dict):
        yield cast("Schema", value)
        for part in cast("Schema", value).values():
            yield from _parts(part)
    elif isinstance(value, list):
        for part in cast("list[object]", value):
            yield from _parts(part)
