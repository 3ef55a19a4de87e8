"""How a trace searches."""

import pytest

from polyhead.errors import PolyheadError
from polyhead.inspection.search import beam_settings, search


def test_it_is_the_translators_search(translator_of, kind):
    translator = translator_of(kind)
    settings = beam_settings(translator, 4)
    ids, history = search(translator, translator.engine, translator.encode_source("bado kilu", "xb"), settings)
    (expected,) = translator.translate(["bado kilu"], beam_size=4, target_language="xb")
    assert translator.bundle.target_tokenizer.decode(ids) == expected.text
    assert history.beam_size == 4
    assert max(len([node for node in step.nodes if node.fate == "live"]) for step in history.steps) <= 4
    tags = {translator.bundle.target_tokenizer.tag(language) for language in ("xb", "xc")}
    assert not tags & {node.token for step in history.steps for node in step.nodes}


def test_settings_are_the_models_unless_asked(translator_of):
    translator = translator_of("paper")
    assert beam_settings(translator, None).beam_size == 3
    assert beam_settings(translator, 7).max_length == 39
    with pytest.raises(PolyheadError, match="beam_size = -1"):
        beam_settings(translator, -1)
