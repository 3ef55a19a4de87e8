"""The fields of a request: of its query string and of its body, which may be JSON or a form of either encoding."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, cast
from urllib.parse import parse_qsl

from fastapi import Request
from pydantic import BaseModel, ValidationError
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File, FormParser, parse_options_header

from polyhead.server.body import JSON, expect, media_type, parse_json
from polyhead.server.problems import Problem, explain

logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # the client is told what is wrong, the log needn't be

M = TypeVar("M", bound=BaseModel)
Fields = dict[str, Any]
"""Name → value. The value is a list where a name stands several times in a form or in a query string."""

FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
_MOST_PARTS = 10_000
"""The most parts of a multipart body: each takes about a kilobyte, however small it is."""


@dataclass(frozen=True)
class SentFile:
    """A file of a multipart body."""

    name: str
    """What the client calls it; it may be anything."""
    content: bytes


def fitting(fields: Fields, model: type[M]) -> M:
    """The fields as a `model`. Raises Problem bad_request where they don't fit it."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise explain(error.errors()) from None


async def all_fields(request: Request, max_depth: int) -> Fields:
    """A request's fields; where both its body and its query string have one, the body's is taken.

    max_depth: how deeply a JSON body may be nested
    A request without a body needs no Content-Type. Raises Problem bad_request for what can't be read.
    """
    asked = _gathered(_pairs(request.url.query, "the query string"))
    body, kind = await request.body(), media_type(request)
    if not body and kind != JSON:
        return asked
    expect(kind, JSON, FORM, MULTIPART)
    if kind == JSON:
        sent = parse_json(body, max_depth)
        if not isinstance(sent, dict):
            raise Problem("bad_request", "the body must be a JSON object")
    elif kind == FORM:
        sent = _gathered(_pairs(_text(body), "the form"))
    else:
        sent = _gathered(_parts(body, request.headers["content-type"]))
    return {**asked, **cast(Fields, sent)}


def described(model: type[BaseModel]) -> dict[str, Any]:
    """What the interface's description says of fields that are read by hand, in each encoding of a body.

    A form can't say null, and a list of a single value is that value in a form.
    """
    schema = model.model_json_schema()
    form = {**schema, "properties": {name: _in_form(field) for name, field in schema["properties"].items()}}
    content = {JSON: {"schema": schema}, FORM: {"schema": form}, MULTIPART: {"schema": form}}
    return {"requestBody": {"required": True, "content": content}}


def _in_form(field: dict[str, Any]) -> dict[str, Any]:
    kinds = [kind for kind in field.get("anyOf", []) if kind.get("type") != "null"]
    kept = {name: value for name, value in field.items() if name not in ("anyOf", "minItems")}
    several = {"minItems": 2} if field.get("type") == "array" else {}
    return {**kept, **several, **({"anyOf": [_in_form(kind) for kind in kinds]} if kinds else {})}


def _gathered(pairs: Iterable[tuple[str, object]]) -> Fields:
    found: dict[str, list[object]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


def _pairs(encoded: str, where: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(encoded, keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise Problem("bad_request", f"the fields of {where} are not UTF-8") from None
    except ValueError as error:
        raise Problem("bad_request", f"{where} is not urlencoded: {error}") from None


def _parts(body: bytes, content_type: str) -> list[tuple[str, str | SentFile]]:
    """The parts of a multipart body in their order, all in memory: the size of the body is bounded before."""
    found: list[tuple[str, str | SentFile]] = []
    ends: list[bool] = []

    def add(name: bytes | None, value: str | SentFile) -> None:
        if len(found) == _MOST_PARTS:
            raise Problem("bad_request", f"the form has more than {_MOST_PARTS} parts")
        found.append((_text(name or b""), value))

    def add_field(field: Field) -> None:
        add(field.field_name, _text(field.value or b""))

    def add_file(file: File) -> None:
        file.file_object.seek(0)
        add(file.field_name, SentFile(_text(file.file_name or b""), file.file_object.read()))

    _, options = parse_options_header(content_type)
    try:
        parser = FormParser(
            MULTIPART,
            add_field,
            add_file,
            on_end=lambda: ends.append(True),
            boundary=options.get(b"boundary"),
            config={"MAX_MEMORY_FILE_SIZE": float("inf"), "UPLOAD_ERROR_ON_BAD_CTE": True},
        )
        parser.write(body)
        parser.finalize()
    except FormParserError as error:
        raise Problem("bad_request", f"the body is no multipart form: {error}") from None
    if not ends:
        raise Problem("bad_request", "the body is no multipart form: it stops before its last boundary")
    return found


def _text(encoded: bytes) -> str:
    try:
        return encoded.decode()
    except UnicodeDecodeError:
        raise Problem("bad_request", "the form's fields are not UTF-8") from None
