"""`/api/models` and `/api/tokenize`."""


def test_models_are_described(both):
    tagged, plain = both.get("/api/models").json()["models"]
    assert (tagged["id"], tagged["source"], tagged["targets"], tagged["tagged"]) == ("tagged", "xa", ["xb", "xc"], True)
    assert (plain["heads"], plain["d_model"], plain["kind"], plain["has_attention"]) == (2, 16, "transformer", True)
    assert plain["parameters"] > 10_000


def test_a_model_is_loaded_when_it_is_first_asked(serve, tagged, plain):
    with serve([tagged, plain]) as client:
        assert not client.get("/api/models").json()["models"][1]["loaded"]
        client.post("/api/translate", json={"text": "cat", "model": "plain"})
        assert client.get("/api/models").json()["models"][1]["loaded"]


def test_tokens_have_their_places(client):
    text = "bado 한국 mera"
    tokens = client.post("/api/tokenize", json={"text": text, "side": "source"}).json()["tokens"]
    assert (
        "".join(text[token["start"] : token["end"]] for token in tokens if "<0x" not in token["piece"]) == "bado  mera"
    )
    assert {text[token["start"] : token["end"]] for token in tokens if "<0x" in token["piece"]} == {"한", "국"}
    assert all(not token["unknown"] for token in tokens)
    assert client.post("/api/tokenize", json={"text": "", "side": "target"}).json() == {"tokens": []}
    assert client.post("/api/tokenize", json={"text": "a", "side": "left"}).status_code == 400
