"""Errors as clients are told of them."""

import json

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError
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


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"text": 5}, "text: Input should be a valid string or a valid list"),
        ({}, "text: missing"),
        ({"text": "a", "size": 1}, "size: there is no such field"),
        ([], "the body: should be a JSON object"),
        ({"text": "a", "inner": 3}, "inner: should be a JSON object"),
    ],
)
def test_fields_are_spoken_of_as_a_client_knows_them(sent, said):
    class Inner(BaseModel):
        """A field of its own."""

    class Outer(BaseModel):
        """One with a union."""

        model_config = ConfigDict(extra="forbid")
        text: str | list[str]
        inner: Inner = Inner()

    with pytest.raises(ValidationError) as error:
        Outer.model_validate(sent)
    assert explain(error.value.errors()).detail == said


def test_a_field_that_nobody_knows_is_not_repeated_at_any_length(client):
    answer = client.post("/api/translate", json={"text": "bado", "target": "xb", "x" * 10_000: 1})
    assert answer.status_code == 400
    assert "there is no such field" in answer.json()["detail"]
    assert len(answer.content) < 2000
