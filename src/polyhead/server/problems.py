"""What went wrong, as the client is told: `application/problem+json` (RFC 9457), never a traceback."""

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Literal

from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from polyhead.errors import PolyheadError, shortened
from polyhead.inspection.sentence import EmptyText, TooLong
from polyhead.inspection.tensors import UnknownPart

Code = Literal[
    "empty",
    "too_long",
    "unknown_language",
    "bad_request",
    "not_found",
    "gone",
    "queue_full",
    "timeout",
    "unauthorized",
    "forbidden",
    "too_large",
    "model_unavailable",
    "internal",
]
MEDIA_TYPE = "application/problem+json"

_STATUS: dict[Code, int] = {
    "empty": 400,
    "too_long": 400,
    "unknown_language": 400,
    "bad_request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "gone": 410,
    "too_large": 413,
    "queue_full": 429,
    "internal": 500,
    "model_unavailable": 503,
    "timeout": 504,
}


_CODES: dict[type[Exception], Code] = {
    EmptyText: "empty",
    TooLong: "too_long",
    UnknownPart: "not_found",
    PolyheadError: "bad_request",
}
"""Errors of the layers below, the special before the general."""


class ProblemDetails(BaseModel):
    """The body of every answer that isn't a success."""

    type: str = Field(default="about:blank", description="What kind of problem; about:blank: what its status says.")
    title: str = Field(description="The status in words.")
    status: int
    detail: str = Field(description="What was wrong and what to do.")
    code: Code = Field(description="What a program can tell problems apart by.")
    error: str = Field(description="The detail once more, or what LibreTranslate says of the same.")


class Problem(HTTPException):
    """A request that cannot be answered, and why."""

    def __init__(
        self, code: Code, detail: str, status: int | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status or _STATUS[code], detail, dict(headers or {}))
        self.code: Code = code


class FieldMissing(Problem):
    """Problem bad_request of a request that lacks a field."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__("bad_request", detail)
        self.name = name


class UnknownLanguage(Problem):
    """Problem unknown_language of a request that names a language."""

    def __init__(self, language: str, detail: str) -> None:
        super().__init__("unknown_language", detail)
        self.language = language


class KeyMissing(Problem):
    """Problem unauthorized of a request that has no key at all."""


class TooManyTexts(Problem):
    """Problem too_large of a request that has more texts than are taken."""


def answer(problem: Problem, status: int | None = None, error: str | None = None) -> JSONResponse:
    """The response that tells of a problem. `status` and `error`, where given, take the place of the problem's own."""
    details = describe(problem, status).model_copy(update={} if error is None else {"error": error})
    return JSONResponse(details.model_dump(), details.status, problem.headers, MEDIA_TYPE)


def describe(problem: Problem, status: int | None = None) -> ProblemDetails:
    """The problem as the client reads it. `status`, where given, takes the place of the problem's own."""
    status = status or problem.status_code
    title = HTTPStatus(status).phrase
    return ProblemDetails(title=title, status=status, detail=problem.detail, code=problem.code, error=problem.detail)


_WORDS = {
    "missing": "missing",
    "extra_forbidden": "there is no such field",
    "model_attributes_type": "should be a JSON object",
    "model_type": "should be a JSON object",
    "dict_type": "should be a JSON object",
}
"""pydantic's messages that speak of Python, in a client's words."""
_NO_FIELDS = {"body", "query", "path", "header", "str"}
_KIND = re.compile(r"constrained-|\w[\w-]*\[")
"""What pydantic's locations have besides names of fields: where these came in, and the kinds that a union allows."""


def explain(errors: Sequence[Mapping[str, Any]]) -> Problem:
    """pydantic's list of errors → the first as one sentence. What was sent is not repeated: it may be long."""
    place = _place(errors[0])
    said = [_WORDS.get(error["type"], str(error["msg"])) for error in errors if _place(error) == place]
    # Where a field may be one of several kinds, each kind has its say: "a valid string or a valid list".
    words = " or ".join([said[0], *(each.removeprefix("Input should be ") for each in said[1:])])
    others = len({_place(error) for error in errors}) - 1
    sentence = f"{shortened(place) or 'the body'}: {words}" + (f" (and {others} more)" if others else "")
    return FieldMissing(place, sentence) if errors[0]["type"] == "missing" else Problem("bad_request", sentence)


def _place(error: Mapping[str, Any]) -> str:
    return ".".join(str(part) for part in error["loc"] if part not in _NO_FIELDS and not _KIND.match(str(part)))


def problem_of(error: BaseException) -> Problem:
    """Any error as a problem. One that is not the client's fault is `internal`, and its text isn't sent."""
    if isinstance(error, Problem):
        return error
    for kind, code in _CODES.items():
        if isinstance(error, kind):
            return Problem(code, str(error))
    if isinstance(error, HTTPException):
        code = "not_found" if error.status_code == 404 else "bad_request"
        return Problem(code, error.detail, error.status_code, error.headers)
    return Problem("internal", "the server failed at this request; its log says more")
