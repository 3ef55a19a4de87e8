"""The description of the interface, tried out against the server."""

import pytest

schemathesis = pytest.importorskip("schemathesis")


def test_it_says_what_the_models_know_and_how_problems_look(client):
    schema = client.get("/openapi.json").json()
    problem = schema["paths"]["/api/translate"]["post"]["responses"]["default"]["content"]
    assert list(problem) == ["application/problem+json"]
    assert "422" not in str(schema["paths"])
    assert "/" not in schema["paths"]
