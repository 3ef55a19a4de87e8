"""Keys, wherever clients put them."""

import pytest

KEY = "a secret"
ASKED = {"text": "bado", "target": "xb"}
LIBRE = {"q": "bado", "source": "xa", "target": "xb"}


@pytest.fixture(scope="module")
def locked(tagged):
    from tests.server.conftest import serving

    with serving([tagged], api_key=KEY) as client:
        yield client


def ways(client, path, fields):
    """The ways of sending a key → requests that do."""
    return {
        "bearer": lambda key: client.post(path, json=fields, headers={"Authorization": f"Bearer {key}"}),
        "scheme": lambda key: client.post(path, json=fields, headers={"Authorization": f"DeepL-Auth-Key {key}"}),
        "query": lambda key: client.post(path, json=fields, params={"api_key": key}),
        "body": lambda key: client.post(path, json={**fields, "api_key": key}),
    }


@pytest.mark.parametrize("way", ["bearer", "scheme", "query", "body"])
@pytest.mark.parametrize(("path", "fields", "refused"), [("/translate", LIBRE, 403), ("/api/translate", ASKED, 401)])
def test_a_key_is_taken_wherever_it_stands(locked, way, path, fields, refused):
    send = ways(locked, path, fields)[way]
    assert send(KEY).status_code == 200
    answer = send("wrong")
    assert answer.status_code == refused
    assert "the API key is wrong" in answer.json()["error"]


def test_a_form_has_the_key_too(locked):
    assert locked.post("/translate", data={**LIBRE, "api_key": KEY}).status_code == 200
    assert locked.post("/translate", files={name: (None, value) for name, value in LIBRE.items()}).status_code == 400
    sent = {**LIBRE, "api_key": KEY}
    assert locked.post("/translate", files={name: (None, value) for name, value in sent.items()}).status_code == 200


@pytest.mark.parametrize("path", ["/translate", "/detect", "/suggest", "/translate_file"])
def test_libretranslates_clients_are_refused_as_there(locked, path):
    missing, wrong = locked.post(path, json=LIBRE), locked.post(path, json={**LIBRE, "api_key": "wrong"})
    assert (missing.status_code, wrong.status_code) == (400, 403)
    assert "wants an API key" in missing.json()["error"]


def test_a_get_takes_the_key_from_the_address(locked):
    assert locked.get("/api/models", params={"api_key": KEY}).status_code == 200
    assert locked.get("/api/models", params={"api_key": "wrong"}).status_code == 401
    assert locked.get("/metrics", params={"auth_key": KEY}).status_code == 200


@pytest.mark.parametrize("key", [7, None, ["a secret"], "", "\ud7ff", {"a": 1}])
def test_what_is_no_key_opens_nothing(locked, key):
    assert locked.post("/translate", json={**LIBRE, "api_key": key}).status_code in (400, 403)
    assert locked.post("/api/translate", json={**ASKED, "api_key": key}).status_code in (400, 401)


@pytest.mark.parametrize("path", ["/metrics", "/api/models"])
@pytest.mark.parametrize("body", [b"", b"\xff", b"{", b"[" * 10_000, b"[1]", b'{"api_key": 1}'])
def test_a_body_that_nobody_needs_is_no_key_and_does_no_harm(locked, path, body):
    headers = {"Content-Type": "application/json"}
    assert locked.request("GET", path, content=body, headers=headers).status_code == 401
    headers["Authorization"] = f"Bearer {KEY}"
    assert locked.request("GET", path, content=body, headers=headers).status_code == 200


def test_a_get_takes_the_key_from_its_body(locked):
    assert locked.request("GET", "/metrics", json={"api_key": KEY}).status_code == 200
    assert locked.request("GET", "/metrics", json={"api_key": "wrong"}).status_code == 401
