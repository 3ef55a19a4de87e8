"""`/api/traces`."""

import io
import json

import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:.*font.*")


def npy(answer):
    assert answer.status_code == 200, answer.text
    return np.load(io.BytesIO(answer.content), allow_pickle=False)


@pytest.fixture(scope="module")
def meta(client):
    answer = client.post("/api/traces", json={"text": "bado kilu mera", "language": "xb", "beam_size": 3})
    assert answer.status_code == 201
    return answer.json()


@pytest.fixture(scope="module")
def get(client, meta):
    """Part of the trace, its parameters → the answer."""
    return lambda part, **asked: client.get(f"/api/traces/{meta['id']}{part}", params=asked)


def test_a_trace_can_be_read_again(get, meta):
    again = get("").json()
    assert {**again, "expires_in": 0} == {**meta, "expires_in": 0}
    assert 800 < again["expires_in"] <= 900
    assert meta["model"]["id"] == "tagged"
    assert "".join(token["piece"] for token in meta["source"]["tokens"]) == "<2xb>▁bado▁kilu▁mera<eos>"
    assert meta["beam"]["steps"]


def test_it_says_what_translated_and_the_trained_model_may_be_asked_for(client, meta):
    assert (meta["engine"], meta["dtype"]) == ({"engine": "prepared", "dtype": "float32"}, "float32")
    asked = {"text": "bado kilu mera", "language": "xb", "beam_size": 3}
    plain = client.post("/api/traces", json={**asked, "engine": "plain"}).json()
    assert plain["engine"] == {"engine": "plain", "dtype": "float32"}
    assert plain["target"]["text"] == meta["target"]["text"]
    assert client.post("/api/traces", json={**asked, "target": "bado"}).json()["engine"] is None
    assert client.post("/api/traces", json={**asked, "engine": "fast"}).status_code == 400


def test_tensors_are_what_their_index_says(get, meta):
    for tensor in meta["tensors"]:
        array = npy(get(f"/tensors/{tensor['name']}"))
        stacked = [tensor[axis] for axis in ("layers", "heads") if tensor[axis] is not None]
        assert list(array.shape) == [*stacked, *tensor["shape"]]
        assert array.dtype == (np.bool_ if tensor["name"].endswith(".mask") else np.float32)


def test_a_tensor_of_one_head_in_parts(get):
    whole = npy(get("/tensors/decoder.cross.weights"))
    part = npy(get("/tensors/decoder.cross.weights", layer=1, head=0, rows="0:2", columns="1:4", dtype="float16"))
    assert part.dtype == np.float16
    np.testing.assert_allclose(part, whole[1, 0, :2, 1:4], atol=1e-3)
    np.testing.assert_allclose(whole.sum(-1), 1, rtol=1e-5)


def test_one_cell_adds_up(get):
    cell = get("/cell", site="decoder.self", layer=0, head=1, i=2, j=1).json()
    assert sum(cell["products"]) == pytest.approx(cell["sum"], abs=1e-5)
    assert cell["exponent"] / cell["denominator"] == pytest.approx(cell["weight"], abs=1e-6)
    assert get("/cell", site="decoder.self", layer=0, head=1, i=0, j=1).json()["masked"]


def test_overviews_probabilities_and_heads(get, meta):
    overview = npy(get("/overview/encoder.self"))
    assert (overview.dtype, overview.shape[:2]) == (np.uint8, (2, 2))
    found = get("/probabilities", t=0, k=3).json()
    assert len(found["candidates"]) == 3
    assert sum(each["probability"] for each in found["candidates"]) + found["rest"] == pytest.approx(1, abs=1e-5)
    assert len(get("/heads").json()["heads"]) == sum(site["layers"] * site["heads"] for site in meta["sites"])


@pytest.mark.parametrize(
    ("part", "kind", "begins"),
    [
        ("/figure.svg", "image/svg+xml", b"<?xml"),
        ("/figure.png", "image/png", b"\x89PNG"),
        ("/export.json", "application/json", b"{"),
        ("/export.npz", "application/zip", b"PK"),
    ],
)
def test_files(get, part, kind, begins):
    pytest.importorskip("matplotlib")
    answer = get(part)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(kind)
    assert answer.content.startswith(begins)
    if part == "/export.json":
        assert json.loads(answer.content)["meta"]["source"]["text"] == "bado kilu mera"


@pytest.mark.parametrize(
    ("part", "asked", "status", "code"),
    [
        ("/tensors/nothing", {}, 404, "not_found"),
        ("/tensors/decoder.cross.weights", {"layer": 9}, 404, "not_found"),
        ("/tensors/decoder.cross.weights", {"layer": -1}, 400, "bad_request"),
        ("/tensors/decoder.cross.weights", {"rows": "1-2"}, 400, "bad_request"),
        ("/tensors/decoder.cross.weights", {"dtype": "int8"}, 400, "bad_request"),
        ("/overview/nothing", {}, 404, "not_found"),
        ("/cell", {"site": "decoder.self", "layer": 0, "head": 0, "i": 99, "j": 0}, 404, "not_found"),
        ("/cell", {"site": "decoder.self"}, 400, "bad_request"),
        ("/probabilities", {"t": 999}, 404, "not_found"),
        ("/probabilities", {"t": 0, "k": 0}, 400, "bad_request"),
        ("/figure.gif", {}, 400, "bad_request"),
        ("/figure.svg", {"head": 7}, 404, "not_found"),
        ("/figure.svg", {"site": "elsewhere"}, 404, "not_found"),
        ("/figure.svg", {"layer": 7}, 404, "not_found"),
    ],
)
def test_parts_that_there_are_not(get, part, asked, status, code):
    answer = get(part, **asked)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"text": "  "}, "empty"),
        ({"text": "bado " * 40}, "too_long"),
        ({"text": "bado", "language": "fr"}, "unknown_language"),
        ({"text": "bado", "edits": {"explode": True}}, "bad_request"),
    ],
)
def test_what_cannot_be_traced(client, asked, code):
    answer = client.post("/api/traces", json={"language": "xb", **asked})
    assert (answer.status_code, answer.json()["code"]) == (400, code)


def test_a_head_that_there_is_not_cannot_be_muted(client):
    edits = {"mute": [{"site": "decoder.self", "layer": 7, "head": 0}]}
    answer = client.post("/api/traces", json={"text": "bado", "language": "xb", "edits": edits})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_a_forced_target_edits_and_a_companion(client):
    muted = {"site": "decoder.cross", "layer": 0, "head": 1}
    asked = {
        "text": "bado",
        "language": "xb",
        "target": "kilu mera",
        "companion": "bado kilu mera noti",
        "edits": {"mute": [muted], "no_look_ahead": True},
    }
    meta = client.post("/api/traces", json=asked).json()
    assert (meta["target"]["text"], meta["target"]["given"], meta["beam"]) == ("kilu mera", True, None)
    assert meta["source_padding"] == sum(token["piece"] == "<pad>" for token in meta["source"]["tokens"]) > 0
    assert meta["edits"]["mute"] == [muted]


def test_a_deleted_trace_is_gone(client):
    name = client.post("/api/traces", json={"text": "bado", "language": "xb"}).json()["id"]
    assert client.delete(f"/api/traces/{name}").status_code == 204
    assert client.get(f"/api/traces/{name}").status_code == 410
    assert client.get(f"/api/traces/{name}").json()["code"] == "gone"
    assert client.get("/api/traces/never-was").json()["code"] == "not_found"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"language": None}, "writes several languages; name a language: xb, xc"),
        ({"target": "bado " * 40}, "this target has"),
        ({"companion": "bado " * 40}, "this companion has"),
        ({"companion": " "}, "nothing to look at in an empty companion"),
        ({"companion": "Bado kilu. Mera noti."}, "the companion has 2 sentences"),
        ({"companion": "b" * 3000}, "the companion has 3000 characters"),
        ({"target": "b" * 3000}, "the target has 3000 characters"),
        ({"text": "b" * 3000}, "the text has 3000 characters"),
    ],
)
def test_what_is_wrong_is_said_of_the_field_that_it_is_in(client, asked, said):
    answer = client.post("/api/traces", json={"text": "bado", "language": "xb", **asked})
    assert answer.status_code in (400, 413)
    assert said in answer.json()["detail"]
