"""LibreTranslate's interface, and its own client."""

import html
import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from libretranslatepy import LibreTranslateAPI

from polyhead.bundle.profiles import save_profiles
from polyhead.inline.codes import Code, Marked
from polyhead.manifest import accept
from polyhead.ngrams import profile_of
from polyhead.tokenizers.build import train
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.translating.translator import Translator
from tests.prose import PROSE
from tests.server.test_detection import GERMAN


@pytest.fixture(scope="module")
def expected(tagged):
    """Text → what the model makes of it."""
    translator = Translator.load(tagged)
    return lambda text, n_best=1: translator.translate([text], target_language="xb", n_best=n_best)[0]


def ask(client, **fields):
    return client.post("/translate", json={"source": "xa", "target": "xb", **fields})


def test_the_real_client_works_unchanged(locked_address, expected):
    libre = LibreTranslateAPI(locked_address, api_key="a secret")
    assert libre.translate("bado kilu & mera", "xa", "xb") == expected("bado kilu & mera").text
    assert libre.languages() == [
        {"code": "xa", "name": "xa", "targets": ["xb", "xc"]},
        {"code": "xb", "name": "xb", "targets": []},
        {"code": "xc", "name": "xc", "targets": []},
    ]
    assert libre.detect("bado") == [{"confidence": 100.0, "language": "xa"}]
    with pytest.raises(HTTPError, match="403"):
        LibreTranslateAPI(locked_address, api_key="wrong").translate("bado", "xa", "xb")
    with pytest.raises(HTTPError, match="400"):
        LibreTranslateAPI(locked_address).detect("bado")


def test_a_form_is_as_good_as_json(client, expected):
    text = "bado + kilu % 한국"
    form = client.post("/translate", data={"q": text, "source": "xa", "target": "xb"})
    assert form.json() == ask(client, q=text).json() == {"translatedText": expected(text).text}


def test_lists_are_answered_by_lists(client, expected):
    texts = ["bado", "", "kilu mera"]
    answer = ask(client, q=texts, source="auto", alternatives=1).json()
    assert answer["translatedText"] == [expected(text).text for text in texts]
    assert [each["language"] for each in answer["detectedLanguage"]] == ["xa"] * 3
    assert answer["alternatives"][2] == [expected("kilu mera", 2).alternatives[1].text]
    form = client.post("/translate", data={"q": ["bado", "kilu"], "source": "xa", "target": "xb"}).json()
    assert form["translatedText"] == [expected("bado").text, expected("kilu").text]


def test_auto_says_what_was_detected(client):
    answer = ask(client, q="bado", source="auto").json()
    assert answer["detectedLanguage"] == {"confidence": 100.0, "language": "xa"}
    assert ask(client, q="bado").json().keys() == {"translatedText"}


def test_html_keeps_its_tags(client, tagged):
    answer = ask(client, q='<p class="x">bado <b>kilu</b> mera<br></p><p translate="no">noti</p>', format="html").json()
    opening, closing = Code("<b>", 0, 0, "open", 1), Code("</b>", 0, 0, "close", 1)
    sentence = Marked.of(["bado ", opening, "kilu", closing, " mera"])
    (found,) = Translator.load(tagged).translate([sentence], target_language="xb")
    written = "".join(
        html.escape(each, quote=False) if isinstance(each, str) else each.content for each in found.marked.parts()
    )
    assert answer["translatedText"] == f'<p class="x">{written}<br></p><p translate="no">noti</p>'
    assert ask(client, q="<br>", format="html").json()["translatedText"] == "<br>"


@pytest.mark.parametrize(
    "kept",
    [
        '<p translate="no">bado <b>kilu</b></p>',
        '<p class="a notranslate">bado</p>',
        "<script>let bado = 'kilu';</script>",
        "<![CDATA[ bado ]]><!-- kilu -->",
        "&nbsp;&#8212;&amp;",
    ],
)
def test_protected_parts_of_html_come_back_byte_for_byte(client, kept):
    answer = ask(client, q=f"{kept}<p>mera</p>\n{kept}", format="html").json()["translatedText"]
    assert answer.startswith(kept + "<p>")
    assert answer.endswith("</p>\n" + kept)


@pytest.mark.parametrize(
    ("fields", "status", "detail"),
    [
        ({"target": "xb"}, 400, "Invalid request: missing q parameter"),
        ({"q": "a", "target": "fr"}, 400, "fr is not supported"),
        ({"q": "a", "target": "xb", "source": "fr"}, 400, "fr is not supported"),
        ({"q": "a", "target": "xb", "format": "pdf"}, 400, "format"),
        ({"q": "a" * 2001, "target": "xb"}, 400, "2001 characters"),
    ],
)
def test_errors_stand_where_its_clients_look(client, fields, status, detail):
    answer = client.post("/translate", json=fields)
    assert answer.status_code == status
    assert detail in answer.json()["error"]
    form = client.post("/translate", data=fields)
    assert (form.status_code, form.json()["error"]) == (status, answer.json()["error"])


def test_settings_of_its_page(client):
    settings = client.get("/frontend/settings").json()
    assert settings["charLimit"] == 2000
    assert settings["language"] == {"source": {"code": "xa", "name": "xa"}, "target": {"code": "xb", "name": "xb"}}
    assert not settings["keyRequired"]


def test_lines_and_white_space_come_back(client, expected):
    text = " bado kilu. \n\n\tmera!\r\n- 5\n"
    bado, mera = expected("bado kilu.").text, expected("mera!").text
    assert ask(client, q=text).json()["translatedText"] == f" {bado} \n\n\t{mera}\r\n- 5\n"


def test_a_model_that_does_not_know_its_languages_translates_what_is_in_any(serve, make_model):
    nameless = make_model("nameless", None, [])
    expected = Translator.load(nameless).translate(["bado kilu"])[0].text
    with serve([nameless]) as client:
        answer = client.post("/translate", json={"q": "bado kilu", "source": "auto", "target": "de"})
        assert client.post("/detect", json={"q": "bado"}).json() == [{"confidence": 0.0, "language": "und"}]
        asked = {"text": ["bado kilu"], "target_lang": "DE"}
        (of_deepl,) = client.post("/v2/translate", json=asked).json()["translations"]
    assert answer.json() == {
        "translatedText": expected,
        "detectedLanguage": {"confidence": 0.0, "language": "und"},
    }
    assert of_deepl == {"detected_source_language": "UND", "text": expected}


@pytest.mark.parametrize(("target", "code"), [("DE", "de"), ("de-AT", "de"), ("deu", "de"), ("De_DE", "de")])
def test_codes_may_be_spelt_otherwise(serve, plain, target, code):
    with serve([plain]) as client:
        asked = {"q": "bado", "source": "EN-us"}
        answers = [client.post("/translate", json={**asked, "target": each}) for each in (target, code)]
    assert [each.status_code for each in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()


@pytest.mark.parametrize(("asked", "given"), [(-3, None), (1, 1), (10**6, 15)])
def test_more_alternatives_than_there_can_be_are_as_many_as_there_can_be(client, asked, given):
    alternatives = ask(client, q="bado", alternatives=asked).json().get("alternatives")
    assert alternatives is None if given is None else 0 < len(alternatives) <= given


def test_each_text_of_a_list_is_detected_and_has_its_own_model(serve, make_model, plain):
    german = make_model("german", "de", ["fr"])
    english = make_model("english", "en", ["fr"])
    train(GERMAN, TokenizerConfig(), 330).save(german / "shared.spm")
    accept(german)
    texts = ["Die Katze läuft.", "The cat sat down.", "Der Hund läuft."]
    with serve([plain, german, english]) as client:
        answer = client.post("/translate", json={"q": texts, "source": "auto", "target": "fr"}).json()
    assert [each["language"] for each in answer["detectedLanguage"]] == ["de", "en", "de"]
    by_model = {name: Translator.load(name) for name in (german, english)}
    models = (german, english, german)
    assert answer["translatedText"] == [
        by_model[model].translate([text])[0].text for model, text in zip(models, texts, strict=True)
    ]


ASKED = {"q": "bado <b>kilu</b> & 한국", "source": "xa", "target": "xb", "format": "html", "alternatives": "2"}


def test_every_encoding_has_the_same_answer(client):
    expected = client.post("/translate", json={**ASKED, "alternatives": 2}).json()
    assert expected.keys() == {"translatedText", "alternatives"}
    for sent in (
        {"json": ASKED},
        {"data": ASKED},
        {"files": {name: (None, value) for name, value in ASKED.items()}},
        {"params": ASKED},
        {"params": {"q": "another", "target": "xb"}, "json": ASKED},
        {"params": {"target": "xb", "format": "html"}, "data": {**ASKED, "target": "xb"}},
    ):
        assert client.post("/translate", **sent).json() == expected, sent


@pytest.mark.parametrize("left_out", [None, ""])
def test_what_is_empty_is_as_good_as_left_out(client, left_out):
    asked = {"q": "bado", "target": "xb", "source": left_out, "format": left_out, "alternatives": left_out}
    assert (
        client.post("/translate", json=asked).json()
        == client.post("/translate", json={"q": "bado", "target": "xb"}).json()
    )


@pytest.mark.parametrize(
    "wrong",
    [
        *({"q": value} for value in ("", None, [], 7, ["a"] * 6)),
        *({"alternatives": value} for value in ("many", True, 1.5, [1])),
        *({"target": ""}, {"source": 7}, {"format": "pdf"}),
    ],
)
def test_what_libretranslate_calls_a_bad_request_is_one(client, wrong):
    answer = client.post("/translate", json={"q": "bado", "target": "xb", **wrong})
    assert answer.status_code == 400
    assert next(iter(wrong)) in answer.json()["error"] or "6 texts" in answer.json()["error"]


def test_the_language_of_a_list_is_that_of_its_texts_together(serve, make_model):
    directories = [make_model("german", "de", ["fr"]), make_model("english", "en", ["fr"])]
    for directory, language in zip(directories, ("de", "en"), strict=True):
        save_profiles(directory, {language: profile_of(PROSE[language])})
    with serve(directories, max_texts=5) as client:
        one = client.post("/detect", json={"q": "OK\nder Bäcker"}).json()
        assert [each["language"] for each in one] == ["de", "en"]
        assert client.post("/detect", json={"q": ["OK", "der Bäcker"]}).json() == one
        assert client.post("/detect", data={"q": ["OK", "der Bäcker"]}).json() == one
        assert client.post("/detect", params={"q": "OK\nder Bäcker"}).json() == one
        many = ["the baker and the train " * 50, *PROSE["de"][:4]]
        assert client.post("/detect", json={"q": many}).json()[0]["language"] == "de", "none has all the say"
        assert client.post("/detect", json={"q": ["a"] * 6}).status_code == 400


def test_suggestions_are_kept_where_there_is_a_file_for_them(serve, tagged, tmp_path, client):
    asked = {"q": "bado", "s": "Badô", "source": "xa", "target": "xb"}
    refused = client.post("/suggest", json=asked)
    assert refused.status_code == 403
    assert "suggestions are not taken" in refused.json()["error"]
    assert client.get("/frontend/settings").json()["suggestions"] is False
    file = tmp_path / "suggestions.jsonl"
    with serve([tagged], suggestions=file) as kept:
        assert kept.post("/suggest", json=asked).json() == {"success": True}
        assert kept.post("/suggest", data=asked).json() == {"success": True}
        assert kept.post("/suggest", json={**asked, "s": ""}).status_code == 400
        assert kept.get("/frontend/settings").json()["suggestions"] is True
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [{**line, "time": ""} for line in lines] == [{"time": "", **asked}] * 2


def test_the_real_client_translates_a_whole_file(locked_address, expected):
    """As LibreTranslate's own page sends one."""
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nbado kilu\r\n'
    for name, value in (("source", "xa"), ("target", "xb"), ("api_key", "a secret")):
        body += f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
    sent = Request(f"{locked_address}/translate_file", body + b"--x--\r\n")
    sent.add_header("Content-Type", "multipart/form-data; boundary=x")
    with urlopen(sent, timeout=60) as answer:
        address = json.load(answer)["translatedFileUrl"]
    with urlopen(address, timeout=60) as answer:
        assert answer.read().decode() == expected("bado kilu").text
