"""Errors as clients are told of them."""

import json

import pytest
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from polyhead.errors import ModelError
from polyhead.inspection.sentence import EmptyText, TooLong
from polyhead.inspection.tensors import UnknownPart
from polyhead.server.problems import Problem, answer, explain, problem_of


class Asked(BaseModel):
    """Something to get wrong."""

    size: int
    names: list[str]


def test_a_problem_is_complete():
    response = answer(Problem("queue_full", "come back", headers={"Retry-After": "3"}))
    assert (response.status_code, response.headers["retry-after"]) == (429, "3")
    assert response.media_type == "application/problem+json"
    assert json.loads(response.body) == {
        "type": "about:blank",
        "title": "Too Many Requests",
        "status": 429,
        "detail": "come back",
        "code": "queue_full",
        "error": "come back",
    }


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (EmptyText("nothing"), 400, "empty"),
        (TooLong("long"), 400, "too_long"),
        (UnknownPart("what"), 404, "not_found"),
        (ModelError("no"), 400, "bad_request"),
        (HTTPException(405, "Method Not Allowed"), 405, "bad_request"),
        (HTTPException(404), 404, "not_found"),
        (Problem("gone", "late"), 410, "gone"),
        (ZeroDivisionError("secret"), 500, "internal"),
    ],
)
def test_every_error_has_its_code(error, status, code):
    problem = problem_of(error)
    assert (problem.status_code, problem.code) == (status, code)
    assert "secret" not in problem.detail


def test_the_first_thing_wrong_is_named_and_what_was_sent_is_not_repeated():
    with pytest.raises(ValidationError) as error:
        Asked.model_validate({"size": "secret", "names": [1]})
    problem = explain(error.value.errors())
    assert problem.detail.startswith("size: Input should be a valid integer")
    assert problem.detail.endswith("(and 1 more)")
    assert "secret" not in problem.detail
