"""Bodies: too large, too deep, not text, not what they claim."""

import json

import pytest

from polyhead.server.body import parse_json
from polyhead.server.problems import Problem

JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        (b'{"text": "\xff"}', "not UTF-8 (byte 10)"),
        ("{}".encode("utf-16"), "not UTF-8"),
        (b'{"text": "a"', "not JSON"),
        (b"", "not JSON"),
        (b'{"text": NaN}', "not JSON"),
        (b'{"text": "\\ud800"}', "not JSON"),
        (b"[" * 10_000, "not JSON"),
        (b"[" * 9_000 + b"]" * 9_000, "not JSON"),
        (b'{"a":' * 40 + b"1" + b"}" * 40, "nested more than 16 levels"),
        (b'["a"]', "should be a JSON object"),
        (b'"a"', "should be a JSON object"),
    ],
)
def test_what_is_no_json_object_is_refused(client, content, detail):
    answer = client.post("/api/translate", content=content, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")
    assert detail in answer.json()["detail"] or not content
    assert client.post("/translate", content=content, headers=JSON).status_code == 400


@pytest.mark.parametrize("path", ["/translate", "/api/translate", "/detect", "/api/traces"])
def test_a_body_too_large_is_refused_however_it_comes(client, path):
    large = json.dumps({"q": "x" * 30_000}).encode()
    in_parts = (large[i : i + 1000] for i in range(0, len(large), 1000))
    for content in (large, in_parts):
        answer = client.post(path, content=content, headers=JSON)
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
        assert "20000 bytes" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("headers", "detail"),
    [
        ({"Content-Type": "text/plain"}, "'text/plain'; send application/json"),
        ({"Content-Type": "application/xml"}, "'application/xml'; send application/json"),
        ({}, "no Content-Type"),
    ],
)
def test_other_forms_are_named(client, headers, detail):
    for path, status in (("/translate", 400), ("/api/translate", 415)):
        answer = client.post(path, content=b"q=a&target=xb", headers=headers)
        assert (answer.status_code, answer.json()["status"]) == (status, status)
        assert detail in answer.json()["detail"]


@pytest.mark.parametrize(
    ("content", "detail"),
    [(b"q=%FF&target=xb", "not UTF-8"), (b"q=\xff&target=xb", "not UTF-8"), (b"", "q: missing")],
)
def test_forms_are_checked_too(client, content, detail):
    answer = client.post("/translate", content=content, headers=FORM)
    assert answer.status_code == 400
    assert detail in answer.json()["detail"]


def test_json_is_read_as_it_stands():
    assert parse_json('{"a": ["한", 1.5, null]}'.encode(), 2) == {"a": ["한", 1.5, None]}
    assert str(parse_json(b"[8.0, -0.0, 1e3, true, 10e-1, 1.25]", 1)) == "[8, 0, 1000, True, 1, 1.25]"
    with pytest.raises(Problem, match="nested more than 1 levels"):
        parse_json(b'{"a": []}', 1)
