"""A trace as a whole: it agrees with decoding, leaves the model alone, and says clearly what cannot be looked at."""

import json
import random
import threading
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from polyhead.bundle.bundle import Bundle
from polyhead.bundle.config import BundleConfig
from polyhead.decoding.config import BeamConfig
from polyhead.engine.choice import Choice
from polyhead.engine.kernel_engine import has_int8_products
from polyhead.errors import ModelError, PolyheadError
from polyhead.inspection.sentence import EmptyText, TooLong
from polyhead.inspection.trace import Edits, Head, trace
from polyhead.model.arrays import InArrays
from polyhead.model.build import build_model
from polyhead.model.config import TransformerConfig
from polyhead.tokenizers.protocol import Token
from polyhead.translating.translator import Translator

TEXT, LONGER = "bado kilu mera", "noti pasu rovi sela tugo vani zeko fimo"


def test_it_agrees_with_decoding_step_by_step(translator_of, kind):
    translator = translator_of(kind)
    (decoded,) = translator.translate([TEXT], target_language="xb")
    found = translator.attention(TEXT, target_language="xb")
    assert found.target.text == decoded.text
    np.testing.assert_allclose(found.prediction.of_written, decoded.token_log_probabilities, atol=1e-4)
    assert found.score == pytest.approx(decoded.score, abs=1e-4)
    finished = [node for step in found.beam.steps for node in step.nodes if node.fate == "finished"]
    assert max(node.score for node in finished) == pytest.approx(decoded.score, abs=1e-4)
    assert found.beam.beam_size == 3


def test_the_search_is_the_translators_own(translator_of):
    bundle = translator_of("paper").bundle
    prepared = Translator(bundle, engine="prepared", dtype="float32")
    (decoded,) = prepared.translate([TEXT], target_language="xb")
    found = prepared.attention(TEXT, target_language="xb")
    assert found.target.text == decoded.text
    np.testing.assert_allclose(found.prediction.of_written, decoded.token_log_probabilities, atol=1e-4)
    steps: list[int] = []

    class Counted:
        """The engine, counting."""

        def __getattr__(self, name: str) -> object:
            steps.append(1)
            return getattr(InArrays(bundle.model), name)

    prepared.engine = Counted()
    prepared.attention(TEXT, target_language="xb", edits=Edits(no_look_ahead=True))
    assert steps
    steps.clear()
    prepared.attention(TEXT, target_language="xb", edits=Edits(no_scale=True))
    assert not steps, "an edit that changes decoding is made on a view"


def test_a_given_target_is_scored_not_searched(translator_of, kind):
    translator = translator_of(kind)
    (scored,) = translator.score([TEXT], ["koda bilu"], target_language="xc")
    found = trace(translator, TEXT, target="koda bilu", target_language="xc")
    np.testing.assert_allclose(found.prediction.of_written, scored.token_log_probabilities, atol=1e-4)
    assert (found.target.text, found.target.given, found.beam) == ("koda bilu", True, None)
    nothing = trace(translator, TEXT, target="", target_language="xc")
    assert [token.piece for token in nothing.target.tokens_out] == ["<eos>"]


def test_padding_changes_nothing_but_the_number_of_columns(translator_of, kind):
    translator = translator_of(kind)
    alone = trace(translator, TEXT, target_language="xb")
    beside = trace(translator, TEXT, target_language="xb", companion=LONGER)
    assert beside.source_padding > 0
    assert [token.piece for token in beside.source[-beside.source_padding :]] == ["<pad>"] * beside.source_padding
    assert beside.target.ids == alone.target.ids
    np.testing.assert_allclose(beside.prediction.log_probabilities, alone.prediction.log_probabilities, atol=1e-4)
    if "decoder.cross" in beside.sites:
        weights = beside.tensor("decoder.cross.weights")
        assert (weights[..., -beside.source_padding :] == 0).all()
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
    assert trace(translator, LONGER, target_language="xb", companion=TEXT).source_padding == 0


def test_the_model_is_not_touched(translator_of, kind):
    model = translator_of(kind).bundle.model
    translator = translator_of(kind)
    before = repr(translator.bundle.model)
    weights = {name: value.clone() for name, value in translator.bundle.model.state_dict().items()}
    expected = translator.translate([TEXT, LONGER], target_language="xb")
    edits = Edits() if kind == "rnn" else Edits(mute=(Head(site="decoder.cross", layer=0, head=0),))
    trace(translator, TEXT, target_language="xb", edits=edits)
    assert repr(translator.bundle.model) == before == repr(model)
    assert not any(module._forward_hooks for module in translator.bundle.model.modules())
    assert all(torch.equal(value, weights[name]) for name, value in translator.bundle.model.state_dict().items())
    assert translator.translate([TEXT, LONGER], target_language="xb") == expected


def test_traces_may_be_taken_beside_a_translation(translator_of):
    translator = translator_of("paper")
    expected = translator.translate([TEXT, LONGER] * 3, target_language="xb")
    wrong: list[object] = []

    def look() -> None:
        for _ in range(4):
            found = trace(translator, TEXT, target_language="xb", edits=Edits(no_positions=True))
            wrong.extend(found.tensor("encoder.position").nonzero()[0])

    thread = threading.Thread(target=look)
    thread.start()
    while thread.is_alive():
        assert translator.translate([TEXT, LONGER] * 3, target_language="xb") == expected
    thread.join()
    assert not wrong


def differing_int8(translator_of):
    """A translator in int8 that doesn't always say what float32 would, and a text where it doesn't."""
    if not has_int8_products():
        pytest.skip("this PyTorch has no 8-bit kernels")
    bundle = translator_of("paper").bundle
    rough = Translator(bundle, engine="prepared", dtype="int8")
    draw = random.Random(0)
    for _ in range(300):
        text = " ".join(draw.choices(LONGER.split(), k=draw.randint(2, 8)))
        texts = [each.translate([text], target_language="xb")[0].text for each in (rough, Translator(bundle))]
        if texts[0] != texts[1]:
            return rough, text, *texts
    pytest.skip("8 bits say the same here")


def test_what_is_looked_into_is_the_translation_that_is_served(translator_of):
    rough, text, served, exact = differing_int8(translator_of)
    found = rough.attention(text, target_language="xb")
    assert found.target.text == served
    assert not found.target.given
    assert found.meta()["engine"] == {"engine": "prepared", "dtype": "int8"}
    assert found.meta()["dtype"] == "float32"
    plain = Translator(rough.bundle)
    (expected,) = plain.score([text], [served], target_language="xb")
    if expected.tokens == tuple(token.piece for token in found.target.tokens_out[:-1]):
        np.testing.assert_allclose(found.prediction.of_written, expected.token_log_probabilities, atol=1e-5)
    other = plain.attention(text, target_language="xb")
    assert other.target.text == exact
    assert other.meta()["engine"] == {"engine": "plain", "dtype": "float32"}


def test_edited_models_search_in_float32_and_a_given_translation_has_no_engine(translator_of):
    rough, text, served, exact = differing_int8(translator_of)
    assert rough.attention(text, target_language="xb", edits=Edits(no_scale=True)).engine == Choice("plain", "float32")
    ahead = rough.attention(text, target_language="xb", edits=Edits(no_look_ahead=True))
    assert (ahead.engine, ahead.target.text) == (Choice("prepared", "int8"), served)
    assert rough.attention(text, target=exact, target_language="xb").meta()["engine"] is None


def test_edits_change_the_translation_too(translator_of):
    translator = translator_of("paper")
    heads = tuple(Head(site="decoder.cross", layer=n, head=h) for n in range(3) for h in range(4))
    # Greedily: a beam also weighs lengths, and how long a translation may be depends on the source.
    deaf = trace(translator, TEXT, target_language="xb", beam_size=1, edits=Edits(mute=heads))
    other = trace(translator, LONGER, target_language="xb", beam_size=1, edits=Edits(mute=heads))
    shorter = min(len(deaf.target.ids), len(other.target.ids))
    assert deaf.target.ids[:shorter] == other.target.ids[:shorter], "a decoder that sees no source writes the same"
    usual = trace(translator, TEXT, target_language="xb")
    ahead = trace(translator, TEXT, target_language="xb", edits=Edits(no_look_ahead=True))
    assert ahead.target.ids == usual.target.ids, "while decoding there is nothing ahead"
    assert (ahead.tensor("decoder.self.weights") > 0).all()


def test_meta_is_plain_json_in_the_promised_shape(translator_of, kind):
    found = trace(translator_of(kind), TEXT, target_language="xb", beam_size=2)
    meta = json.loads(json.dumps(found.meta(), allow_nan=False))
    source = meta["source"]["tokens"]
    assert [source[0]["piece"], source[-1]["piece"]] == ["<2xb>", "<eos>"]
    assert source[0]["start"] is None
    assert "".join(TEXT[token["start"] : token["end"]] for token in source[1:-1]).replace(" ", "") == TEXT.replace(
        " ", ""
    )
    target = meta["target"]
    assert [token["piece"] for token in target["tokens_in"][1:]] == [
        token["piece"] for token in target["tokens_out"][:-1]
    ]
    assert target["tokens_in"][0]["piece"] == "<sos>"
    lengths = {len(target[key]) for key in ("tokens_in", "tokens_out", "log_probabilities", "entropy", "ranks")}
    assert lengths == {len(target["tokens_in"])}
    assert meta["beam"]["beam_size"] == 2
    assert meta["edits"] == {"mute": [], "no_scale": False, "no_positions": False, "no_look_ahead": False}
    assert [site["name"] for site in meta["sites"]] == found.sites
    for entry in meta["tensors"]:
        whole = found.tensor(entry["name"])
        lead = [size for size in (entry["layers"], entry["heads"]) if size is not None]
        assert list(whole.shape) == [*lead, *entry["shape"]]
        assert len(entry["axes"]) == len(entry["shape"])
        assert (entry["min"], entry["max"]) == (whole.min(), whole.max())
    assert found.nbytes >= sum(array.nbytes for array in found.tensors.noted.values())


def test_what_cannot_be_looked_at_is_said(translator_of):
    translator = translator_of("paper")
    with pytest.raises(EmptyText, match="empty text"):
        trace(translator, " \n", target_language="xb")
    with pytest.raises(TooLong, match="40 at a time; look at one sentence"):
        trace(translator, "bado " * 50, target_language="xb")
    with pytest.raises(TooLong, match="this target has"):
        trace(translator, TEXT, target="bado " * 50, target_language="xb")
    with pytest.raises(EmptyText):
        trace(translator, TEXT, companion="", target_language="xb")
    with pytest.raises(ModelError, match="name one of xb, xc"):
        trace(translator, TEXT)
    with pytest.raises(PolyheadError, match="beam_size = 0"):
        trace(translator, TEXT, target_language="xb", beam_size=0)
    with torch.no_grad():
        translator.bundle.model.output.weight[5] = float("nan")
    with pytest.raises(ModelError, match="weights are damaged"):
        trace(translator, TEXT, target_language="xb", target="bado")


@pytest.mark.slow
def test_thirty_tokens_are_traced_through_the_papers_base_model(tokenizer):
    config = BundleConfig(
        polyhead="0",
        target_languages=("xb",),
        source_vocabulary=8000,
        target_vocabulary=8000,
        model=TransformerConfig(),
        tokenizer=tokenizer.config,
        decoding=BeamConfig(beam_size=4, min_length=30, max_length=30),
    )
    model = build_model(config.model, 8000, 8000).eval()
    vocabulary = SimpleNamespace(
        encode=tokenizer.encode, tokens=tokenizer.tokens, languages=(), pieces=lambda ids: [str(i) for i in ids],
        decode=lambda ids: " ".join(map(str, ids)), decoded=lambda ids: [Token(i, str(i), 0, 0) for i in ids],
        config=tokenizer.config, vocabulary_size=8000,
    )  # fmt: skip
    translator = Translator(Bundle(config, model, vocabulary, vocabulary), engine="auto")
    text = "bado kilu mera noti pasu rovi sela tugo vani zeko fimo gura hepi jola wuto " * 2
    text = text[: next(end for end in range(len(text), 0, -1) if len(tokenizer.encode(text[:end])) <= 29)]
    found = trace(translator, text)
    assert (len(found.source), len(found.target.ids)) == (30, 30)
    assert found.meta()
