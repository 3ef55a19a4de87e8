"""`/api/translate`."""

import pytest

from polyhead.translating.translator import Translator

TEXTS = ["bado kilu", "", "mera noti pasu rovi", "sela"]


@pytest.fixture(scope="module")
def translator(tagged):
    return Translator.load(tagged)


def post(client, **asked):
    return client.post("/api/translate", json=asked)


def test_every_text_has_its_translation(client, translator):
    answer = post(client, text=TEXTS, target="xc")
    assert answer.status_code == 200
    expected = translator.translate(TEXTS, target_language="xc")
    for found, right in zip(answer.json()["translations"], expected, strict=True):
        assert found["text"] == right.text
        assert found["score"] == pytest.approx(right.score, abs=1e-4)
        assert [token["logp"] for token in found["tokens"]] == pytest.approx(right.token_log_probabilities, abs=1e-4)
        assert found["alternatives"] == []


def test_a_single_text_is_a_list_of_one(client, translator):
    (found,) = post(client, text="bado kilu", target="xb", model="tagged").json()["translations"]
    assert found["text"] == translator.translate(["bado kilu"], target_language="xb")[0].text
    assert found["tokens"][-1]["piece"] == "<eos>"
    assert found["sentences"] == [{"source": [0, 9], "target": [0, len(found["text"])]}]


def test_sentences_of_a_long_text_have_their_places(client):
    text = "Bado kilu mera noti pasu. " * 8
    (found,) = post(client, text=text, target="xb").json()["translations"]
    assert len(found["sentences"]) > 1
    assert all(text[slice(*each["source"])].strip() for each in found["sentences"])
    assert sum(token["piece"] == "<eos>" for token in found["tokens"]) == len(found["sentences"])


def test_what_is_asked_of_the_search_is_done(client, translator):
    (found,) = post(client, text="bado kilu", target="xb", beam_size=3, n_best=3).json()["translations"]
    expected = translator.translate(["bado kilu"], target_language="xb", beam_size=3, n_best=3)[0]
    assert [each["text"] for each in found["alternatives"]] == [each.text for each in expected.alternatives]
    flat = post(client, text="bado kilu", target="xb", length_penalty=0).json()["translations"][0]
    assert flat["score"] == pytest.approx(flat["log_probability"])
    mean = post(client, text="bado kilu", target="xb", length_penalty="average").json()["translations"][0]
    assert mean["score"] == pytest.approx(mean["log_probability"] / len(mean["tokens"]))


@pytest.mark.parametrize("penalty", ["mean", 11, -1, True, [1]])
def test_a_length_penalty_is_a_number_or_the_average(client, penalty):
    answer = client.post("/api/translate", json={"text": "bado kilu", "target": "xb", "length_penalty": penalty})
    assert answer.status_code == 400
    assert "length_penalty: Input should be" in answer.json()["detail"]
    assert "or 'average'" in answer.json()["detail"]


def test_patience_ends_the_search_of_its_request_alone(client, translator):
    texts = ["bado kilu mera", "noti pasu rovi sela"]
    search = translator.config.decoding.model_copy(update={"beam_size": 4, "n_best": 4, "patience": 1.0})
    expected = translator.translate(texts, target_language="xb", search=search)
    keys = {"text": texts, "target": "xb", "beam_size": 4, "n_best": 4}
    hasty, patient = (post(client, **keys, **more).json()["translations"] for more in ({"patience": 1}, {}))
    assert [[one["text"] for one in each["alternatives"]] for each in hasty] == [
        [one.text for one in each.alternatives] for each in expected
    ]
    assert all(slow["score"] >= quick["score"] for slow, quick in zip(patient, hasty, strict=True))


@pytest.mark.parametrize(
    ("asked", "status", "code", "detail"),
    [
        ({}, 400, "bad_request", "text: missing"),
        ({"text": 7}, 400, "bad_request", "text"),
        ({"text": ["a", None]}, 400, "bad_request", "text"),
        ({"text": "a", "target": "fr"}, 400, "unknown_language", "there are xb, xc"),
        ({"text": "a"}, 400, "unknown_language", "name a target: xb, xc"),
        ({"text": "a", "source": "fr", "target": "xb"}, 400, "unknown_language", "no model reads 'fr'"),
        ({"text": "a", "target": "xb", "model": "x"}, 404, "not_found", "no model is called 'x'"),
        ({"text": "a", "target": "xb", "beam_size": -1}, 400, "bad_request", "beam_size: Input should be greater"),
        ({"text": "a", "target": "xb", "beam_size": 1000}, 400, "bad_request", "less than or equal to 16"),
        ({"text": "a", "target": "xb", "beam_size": "wide"}, 400, "bad_request", "beam_size"),
        ({"text": "a", "target": "xb", "patience": 0}, 400, "bad_request", "patience: Input should be greater than 0"),
        ({"text": "a", "target": "xb", "beam": 3}, 400, "bad_request", "beam: there is no such field"),
        ({"text": "a" * 2001, "target": "xb"}, 400, "too_long", "2001 characters; at most 2000"),
        ({"text": ["a", "b" * 2001], "target": "xb"}, 400, "too_long", "text 2 has 2001"),
        ({"text": ["a"] * 6, "target": "xb"}, 413, "too_large", "6 texts in one request; at most 5"),
    ],
)
def test_what_is_wrong_is_said(client, asked, status, code, detail):
    answer = post(client, **asked)
    problem = answer.json()
    assert (answer.status_code, problem["status"], problem["code"]) == (status, status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert detail in problem["detail"]


def test_languages_choose_the_model(both):
    german = both.post("/api/translate", json={"text": "The cat", "source": "en"}).json()
    assert (
        german["translations"][0]["text"]
        == both.post("/api/translate", json={"text": "The cat", "model": "plain", "target": "de"}).json()[
            "translations"
        ][0]["text"]
    )
