"""The READMEs of exported models: their code is what a reader copies."""

import ast
import re

import pytest

from polyhead.interchange.card import ctranslate2_card, hugging_face_card


@pytest.mark.parametrize("card", [ctranslate2_card, hugging_face_card])
@pytest.mark.parametrize("languages", [(), ("fr", "ko")])
def test_the_code_is_code(make_bundle, card, languages):
    text = card(make_bundle(languages=languages))
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    ast.parse(code)
    assert bool(re.search("<2fr>|>>fr<<", code)) == bool(languages)


def test_differences_are_named(make_bundle):
    bundle = make_bundle()
    plain = ctranslate2_card(bundle)
    assert "length_penalty=1.0" in plain
    assert "log P" not in plain, "the average is the same in both"
    settings = bundle.config.decoding.model_copy(update={"length_penalty": 0.6})
    lower = bundle.config.tokenizer.model_copy(update={"lowercase": True})
    config = bundle.config.model_copy(update={"decoding": settings, "tokenizer": lower})
    other = ctranslate2_card(type(bundle)(config, bundle.model, bundle.source_tokenizer, bundle.target_tokenizer))
    assert "^0.6" in other
    assert "lower case only" in other


def test_a_search_ends_as_the_models_own(make_bundle):
    bundle = make_bundle()
    assert "patience=20," in ctranslate2_card(bundle)
    assert "until no hypothesis can win" in ctranslate2_card(bundle)
    settings = bundle.config.decoding.model_copy(update={"patience": 1.5})
    config = bundle.config.model_copy(update={"decoding": settings})
    patient = ctranslate2_card(type(bundle)(config, bundle.model, bundle.source_tokenizer, bundle.target_tokenizer))
    assert "patience=1.5," in patient
    assert "until no hypothesis can win" not in patient
