"""The cross-attention of one translation."""

import numpy as np
import pytest

from polyhead.errors import ModelError, PolyheadError
from polyhead.inspection.maps import cross_attention
from polyhead.translator import Translator


def test_every_written_token_looked_at_the_source(toy_model, tagged_model):
    found = cross_attention(Translator.load(toy_model), "bado kilu")
    assert found.weights.shape == (1, 2, len(found.rows), len(found.columns))
    np.testing.assert_allclose(found.weights.sum(-1), 1.0, atol=1e-5)
    assert found.rows[-1] == found.columns[-1] == "<eos>"
    assert tuple(found.rows[:-1]) == found.translation.tokens
    tagged = cross_attention(Translator.load(tagged_model), "bado kilu", target_language="xc")
    assert tagged.columns[0] == "<2xc>"


def test_what_cannot_be_looked_at(toy_model, monkeypatch):
    translator = Translator.load(toy_model)
    with pytest.raises(PolyheadError, match="empty text"):
        cross_attention(translator, " ")
    with pytest.raises(PolyheadError, match="look at one sentence"):
        cross_attention(translator, "bado " * translator.longest_source)
    monkeypatch.setattr(translator.bundle.model, "alignment_site", None)
    with pytest.raises(ModelError, match="no attention"):
        cross_attention(translator, "bado")
