"""DeepL's interface, and its own client."""

import deepl
import pytest

from polyhead.inline.codes import Marked
from polyhead.translating.translator import Translator

KEY = "a secret"


@pytest.fixture(scope="module")
def expected(tagged):
    """Text → what the model makes of it."""
    translator = Translator.load(tagged)
    return lambda text, **asked: translator.translate([text], target_language="xb", **asked)[0].text


@pytest.fixture(scope="module")
def theirs(locked_address):
    """DeepL's client, as its users have it."""
    deepl.http_client.max_network_retries = 0
    return deepl.DeepLClient(KEY, server_url=locked_address)


def ask(client, **fields):
    return client.post("/v2/translate", json={"target_lang": "XB", **fields})


def texts(answer):
    assert answer.status_code == 200, answer.text
    return [each["text"] for each in answer.json()["translations"]]


def test_the_real_client_works_unchanged(theirs, expected):
    one = theirs.translate_text("bado kilu & mera", target_lang="XB")
    assert (one.text, one.detected_source_lang, one.billed_characters) == (expected("bado kilu & mera"), "XA", 16)
    several = theirs.translate_text(
        ["bado.\n\nkilu mera", "noti"], source_lang="xa", target_lang="xc", context="pasu", preserve_formatting=True
    )
    assert [each.detected_source_lang for each in several] == ["XA", "XA"]
    assert [(each.code, each.name) for each in theirs.get_source_languages()] == [("XA", "xa")]
    assert {each.code: each.supports_formality for each in theirs.get_target_languages()} == {"XB": False, "XC": False}


def test_the_real_client_hears_what_has_been_used(theirs):
    before = theirs.get_usage().character
    theirs.translate_text(["bado", "한국"], target_lang="XB")
    after = theirs.get_usage().character
    assert after.count - before.count == 6
    assert not theirs.get_usage().any_limit_reached


def test_the_real_client_raises_its_own_errors(theirs, locked_address):
    with pytest.raises(deepl.AuthorizationException, match="the API key is wrong"):
        deepl.DeepLClient("wrong", server_url=locked_address).translate_text("bado", target_lang="XB")
    with pytest.raises(deepl.DeepLException, match="no model writes 'FR'") as error:
        theirs.translate_text("bado", target_lang="FR")
    assert error.value.http_status_code == 400
    with pytest.raises(deepl.DeepLException, match="this server has no glossaries"):
        theirs.translate_text("bado", source_lang="XA", target_lang="XB", glossary="an-id")
    with pytest.raises(deepl.DeepLException, match="one form of address"):
        theirs.translate_text("bado", target_lang="XB", formality="more")
    assert theirs.translate_text("bado", target_lang="XB", formality="prefer_less").text


def test_the_real_client_gets_its_tags_back(theirs, expected, tagged):
    found = theirs.translate_text('<p>bado<x id="1"/></p>', target_lang="XB", tag_handling="xml")
    assert found.text == f'<p>{expected("bado")}<x id="1"/></p>'
    found = theirs.translate_text(
        "<keep>bado</keep> kilu", target_lang="XB", tag_handling="xml", ignore_tags=["keep", "other"]
    )
    kept = Marked.of([("<keep>bado</keep>", "bado"), " kilu"])
    assert found.text == Translator.load(tagged).translate([kept], target_language="xb")[0].marked.written()
    assert found.text.count("<keep>bado</keep>") == 1


def test_every_encoding_has_the_same_answer(client):
    asked = {"text": ["bado", "<i>kilu</i>"], "target_lang": "xb", "tag_handling": "html"}
    expected = client.post("/v2/translate", json=asked).json()
    parts = [("text", (None, "bado")), ("text", (None, "<i>kilu</i>"))]
    rest = [(name, (None, asked[name])) for name in ("target_lang", "tag_handling")]
    for sent in ({"data": asked}, {"files": [*parts, *rest]}, {"params": asked}):
        assert client.post("/v2/translate", **sent).json() == expected
    assert texts(ask(client, text="bado")) == texts(ask(client, text=["bado"]))


def test_characters_are_billed_where_they_are_asked_for(client):
    asked = {"text": "bado", "target_lang": "xb"}
    assert "billed_characters" not in client.post("/v2/translate", data=asked).json()["translations"][0]
    answer = client.post("/v2/translate", data={**asked, "show_billed_characters": "1"})
    assert answer.json()["translations"][0]["billed_characters"] == 4


def test_lines_are_cut_as_they_are_asked_to_be(client, expected):
    text = "bado kilu\nmera. Noti\n\npasu"
    assert texts(ask(client, text=text)) == texts(ask(client, text=text, split_sentences="1")) == [expected(text)]
    assert texts(ask(client, text=text, split_sentences="0")) == [expected(text, split="line")]
    joined = "bado kilu mera. Noti\n\npasu"
    assert texts(ask(client, text=text, split_sentences="nonewlines")) == [expected(joined)]
    wrapped = "<p>bado\n  kilu</p>"
    assert texts(ask(client, text=wrapped, tag_handling="html")) == [f"<p>{expected('bado kilu')}</p>"]


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({}, 400, "text: missing"),
        ({"text": []}, 400, "text"),
        ({"text": [7]}, 400, "text"),
        ({"text": "a", "target_lang": ""}, 400, "target_lang"),
        ({"text": "a", "source_lang": "FR"}, 400, "no model reads 'FR'"),
        ({"text": "a", "tag_handling": "pdf"}, 400, "tag_handling"),
        ({"text": "a", "split_sentences": "2"}, 400, "split_sentences"),
        ({"text": ["a"] * 6}, 400, "6 texts"),
        ({"text": "a", "glossary_ids": ["b"]}, 400, "glossaries"),
        ({"text": "a", "style_id": "b"}, 400, "style rules"),
        ({"text": "a" * 30_000}, 413, "20000 bytes"),
    ],
)
def test_errors_are_told_as_deepls_are(client, fields, status, said):
    answer = ask(client, **fields)
    assert answer.status_code == status
    assert answer.json().keys() == {"message"}
    assert said in answer.json()["message"]
    assert answer.headers["content-type"] == "application/json"


def test_what_there_is_not_is_told_so_too(client):
    assert client.get("/v2/nothing").json().keys() == {"message"}
    assert client.get("/v2/languages", params={"type": "both"}).status_code == 400
    assert client.post("/v2/translate", content=b"a", headers={"Content-Type": "text/plain"}).status_code == 400


def test_each_key_may_stand_where_deepls_clients_put_it(serve, tagged):
    with serve([tagged], api_key=KEY) as client:
        asked = {"text": "bado", "target_lang": "xb"}
        assert client.post("/v2/translate", data=asked).status_code == 403
        assert client.get("/v2/usage").status_code == 403
        assert client.get("/v2/languages").status_code == 403
        assert client.post("/v2/translate", data={**asked, "auth_key": KEY}).status_code == 200
        header = {"Authorization": f"DeepL-Auth-Key {KEY}"}
        assert client.post("/v2/translate", data=asked, headers=header).status_code == 200
        assert client.post("/v2/usage", headers=header).json()["character_count"] == 8
