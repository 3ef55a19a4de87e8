"""`/api/translate/stream`."""

import json
import threading
import time
import urllib.request

import pytest

from polyhead.errors import PolyheadError
from polyhead.server.pool import open_directories
from polyhead.server.services import Services
from polyhead.server.settings import ServerConfig
from polyhead.translating.translator import Translator


def events(answer):
    """(event, data) of a stream."""
    blocks = [dict(line.split(": ", 1) for line in block.split("\n")) for block in answer.text.strip().split("\n\n")]
    return [(block["event"], json.loads(block["data"])) for block in blocks]


def stream(client, text, **asked):
    return client.post("/api/translate/stream", json={"text": text, "target": "xb", **asked})


def test_a_stream_tells_the_whole_search(client, tagged):
    answer = stream(client, "bado kilu", beam_size=3)
    assert answer.headers["content-type"].startswith("text/event-stream")
    told = events(answer)
    names = [name for name, _ in told]
    assert names == ["meta", "encoder", *["step"] * (len(told) - 3), "done"]
    assert told[0][1]["model"]["id"] == "tagged"
    assert "".join(token["piece"] for token in told[0][1]["source"]["tokens"]) == "▁bado▁kilu"
    done = told[-1][1]
    right = Translator.load(tagged).translate(["bado kilu"], target_language="xb", beam_size=3)[0]
    assert done["text"] == right.text
    assert [token["logp"] for token in done["tokens"]] == pytest.approx(right.token_log_probabilities, abs=1e-4)


def test_every_hypothesis_has_a_parent_and_the_best_leads_back_to_the_start(client):
    steps = [data for name, data in events(stream(client, "bado kilu", beam_size=3)) if name == "step"]
    nodes = {node["id"]: node for step in steps for node in step["candidates"]}
    assert [step["t"] for step in steps] == list(range(len(steps)))
    assert sum(len(step["candidates"]) for step in steps) == len(nodes)
    for step in steps:
        for node in step["candidates"]:
            assert node["state"] in ("live", "pruned", "finished")
            assert (node["parent"] is None) == (step["t"] == 0)
            above = nodes[node["parent"]]["cumulative"] if node["parent"] is not None else 0
            assert node["cumulative"] == pytest.approx(above + node["logp"], abs=1e-5)


def test_a_long_text_is_told_sentence_by_sentence(client):
    told = events(stream(client, "Bado kilu mera noti pasu. " * 8))
    begun = [data["sentence"] for name, data in told if name == "encoder"]
    assert begun == list(range(len(begun)))
    assert len(begun) > 1
    assert len(told[-1][1]["sentences"]) == len(begun)


@pytest.mark.parametrize(("text", "code"), [(" \n", "empty"), ("a" * 2001, "too_long")])
def test_what_cannot_begin_is_no_stream(client, text, code):
    answer = stream(client, text)
    assert (answer.status_code, answer.json()["code"]) == (400, code)


def test_what_fails_midway_is_told_in_the_stream_and_in_the_log(client, monkeypatch, caplog):
    def fail(*arguments, **more):
        raise MemoryError("secret")

    monkeypatch.setattr(Translator, "translate", fail)
    name, problem = events(stream(client, "bado"))[-1]
    assert (name, problem["code"]) == ("error", "internal")
    assert "secret" not in str(problem)
    (logged,) = (each for each in caplog.records if each.name == "uvicorn.error")
    assert logged.exc_info is not None
    assert str(logged.exc_info[1]) == "secret"


def test_what_a_client_can_put_right_is_not_in_the_log(client, monkeypatch, caplog):
    def refuse(*arguments, **more):
        raise PolyheadError("say it otherwise")

    monkeypatch.setattr(Translator, "translate", refuse)
    assert events(stream(client, "bado"))[-1][1]["code"] == "bad_request"
    assert not caplog.records


def test_a_stream_whose_client_has_gone_is_given_up(listen, tagged, monkeypatch):
    translate, given_up = Translator.translate, threading.Event()

    def endlessly(self, texts, *, observer, **asked):
        records = []
        translate(self, texts, observer=records.append, **asked)
        try:
            while True:
                time.sleep(0.005)
                observer(records[0])
        finally:
            given_up.set()

    monkeypatch.setattr(Translator, "translate", endlessly)
    with listen(Services.start(open_directories([tagged]), ServerConfig())) as address:
        body = json.dumps({"text": "bado", "target": "xb"}).encode()
        request = urllib.request.Request(f"{address}/api/translate/stream", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            assert answer.readline() == b"event: meta\n"
            while answer.readline() != b"event: step\n":
                pass
            assert not given_up.is_set()
        assert given_up.wait(20)
