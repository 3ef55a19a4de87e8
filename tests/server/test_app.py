"""Everything together: errors, headers, keys, other origins, the time limit."""

import time

import pytest

from polyhead.errors import PolyheadError
from polyhead.translating.translator import Translator


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nothing", 404), ("PUT", "/translate", 405)])
def test_what_there_is_not_is_a_problem_too(client, method, path, status):
    answer = client.request(method, path)
    assert (answer.status_code, answer.json()["status"]) == (status, status)
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_wrong_method_is_told_the_right_ones(client):
    assert set(client.post("/api/traces/x").headers["allow"].split(", ")) == {"GET", "DELETE"}
    assert client.put("/translate").headers["allow"] == "POST"
    assert client.post("/").headers["allow"] == "GET"
    assert client.put("/translate").json()["detail"] == "this address doesn't take PUT; it takes POST"


def test_an_address_that_there_is_not_is_named(client):
    assert client.get("/nothing").json()["detail"].startswith("there is nothing at '/nothing'")
    assert len(client.get("/" + "x" * 5000).json()["detail"]) < 200


@pytest.mark.parametrize(("error", "status"), [(PolyheadError("try another"), 400), (KeyError("secret"), 500)])
def test_errors_never_show_a_traceback(client, monkeypatch, error, status):
    def fail(*arguments):
        raise error

    monkeypatch.setattr("polyhead.server.detection.Detector.detect", fail)
    answer = client.post("/detect", json={"q": "a"})
    assert answer.status_code == status
    assert ("try another" in answer.text) == (status == 400)
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text


def test_every_answer_keeps_browsers_strict(client):
    for path in ("/", "/health", "/nothing"):
        assert client.get(path).headers["x-content-type-options"] == "nosniff"


def test_a_key_is_asked_for_where_there_is_one(serve, tagged):
    with serve([tagged], api_key="a secret") as client:
        asked = {"text": "bado", "target": "xb"}
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic a secret"}):
            answer = client.post("/api/translate", json=asked, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
            assert answer.headers["www-authenticate"] == "Bearer"
        right = {"Authorization": "Bearer a secret"}
        assert client.post("/api/translate", json=asked, headers=right).status_code == 200
        for path in ("/api/models", "/metrics", "/api/traces/x"):
            assert client.get(path).status_code == 401
        for path in ("/", "/health", "/languages", "/openapi.json"):
            assert client.get(path).status_code == 200
        assert client.post("/translate", json={"q": "bado", "target": "xb"}).status_code == 400


def test_other_origins_only_where_they_are_named(serve, tagged, client):
    asks = {"Origin": "https://example.org"}
    assert "access-control-allow-origin" not in client.get("/health", headers=asks).headers
    with serve([tagged], origins=("https://example.org",)) as open_client:
        allowed = open_client.get("/health", headers=asks).headers["access-control-allow-origin"]
        assert allowed == "https://example.org"
        other = open_client.get("/health", headers={"Origin": "https://other.org"}).headers
        assert "access-control-allow-origin" not in other


def test_an_answer_that_takes_too_long_is_given_up(serve, tagged, monkeypatch):
    def slowly(*arguments, check, **more):
        while True:
            time.sleep(0.01)
            check()

    monkeypatch.setattr(Translator, "translate", slowly)
    with serve([tagged], timeout=0.3) as client:
        answer = client.post("/api/translate", json={"text": "bado", "target": "xb"})
        assert (answer.status_code, answer.json()["code"]) == (504, "timeout")
        monkeypatch.undo()
        # The model's thread is free again; on a busy machine the answer itself may take more than the limit.
        answers = (client.post("/api/translate", json={"text": "bado", "target": "xb"}) for _ in range(40))
        assert any(answer.status_code == 200 for answer in answers)


def test_a_full_queue_is_said_with_the_time_to_come_back(serve, tagged):
    with serve([tagged], max_waiting=2) as client:
        answer = client.post("/api/translate", json={"text": ["a", "b", "c"], "target": "xb"})
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
