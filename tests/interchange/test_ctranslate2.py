"""CTranslate2 itself, where it is installed, must compute our probabilities and find what our own search finds."""

import json
import sys

import pytest

from polyhead.batch import collate
from polyhead.bundle.load import load_bundle
from polyhead.decoding.beam import beam
from polyhead.decoding.config import BeamConfig
from polyhead.decoding.scoring import score
from polyhead.errors import ModelError
from polyhead.interchange.ctranslate2 import ctranslate2_obstacles, write_ctranslate2
from polyhead.translating.translator import Translator

SOURCES = [[5, 9, 200, 7, 30], [11], [90, 91, 92, 93, 94, 95, 96, 97, 98], [261, 262, 270]]
TARGETS = [[8, 6, 100], [20], [4, 9], [50, 51, 52, 53, 54]]


@pytest.fixture
def load(tmp_path):
    """A bundle → CTranslate2's translator of what is written of it."""
    ctranslate2 = pytest.importorskip("ctranslate2", reason="the package ctranslate2 is not installed")

    def write_and_load(bundle):
        write_ctranslate2(bundle, tmp_path)
        return ctranslate2.Translator(str(tmp_path), compute_type="float32", intra_threads=1)

    return write_and_load


def test_the_same_probabilities(load, make_bundle, kind):
    bundle = make_bundle(**kind)
    batch = collate(SOURCES, TARGETS)
    expected = score(bundle.model, batch)
    sources, targets = ([bundle.source_tokenizer.pieces(ids) for ids in side] for side in (SOURCES, TARGETS))
    for found, row in zip(load(bundle).score_batch(sources, targets), expected.tolist(), strict=True):
        assert found.log_probs == pytest.approx(row[: len(found.log_probs)], abs=2e-4)
        assert found.tokens[-1] == "<eos>"


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize(
    ("ours", "theirs", "patience"),
    [(0.0, 0.0, None), ("average", 1.0, None), ("average", 1.0, 1.0), ("average", 1.0, 2.0)],
)
def test_the_same_translations(load, toy, toy_model, size, ours, theirs, patience):
    bundle = load_bundle(toy_model)
    texts = [
        text for text in toy.source(400, seed=3) if len(bundle.source_tokenizer.encode(text)) < 9
    ]  # 20 is the limit
    config = BeamConfig(beam_size=size, length_penalty=ours, patience=patience)
    expected = [list(found.tokens) for found in Translator(bundle).translate(texts, search=config)]
    # Nothing is forbidden there: what is left out before the softmax would change the other probabilities.
    results = load(bundle).translate_batch(
        [bundle.source_tokenizer.pieces(bundle.source_tokenizer.encode(text)) for text in texts],
        beam_size=size, length_penalty=theirs, patience=patience or 20, min_decoding_length=0, max_decoding_length=19,
    )  # fmt: skip
    assert [result.hypotheses[0] for result in results] == expected
    assert len({tuple(tokens) for tokens in expected}) > 50, "as many translations, not one for all"


def test_two_vocabularies(load, make_bundle, tmp_path):
    bundle = make_bundle(shared=False, tie_embeddings="output")
    ids = bundle.source_tokenizer.encode("bado kilu")
    (found,) = load(bundle).translate_batch(
        [bundle.source_tokenizer.pieces(ids)], beam_size=1, max_decoding_length=9, disable_unk=True,
        suppress_sequences=[["<pad>"], ["<sos>"]],
    )  # fmt: skip
    batch = collate([ids], [[]])
    best = beam(bundle.model, batch.source, batch.source_mask, BeamConfig(beam_size=1, max_length=9))[0][0]
    assert found.hypotheses[0] == bundle.target_tokenizer.pieces(best.tokens)
    assert json.loads((tmp_path / "target_vocabulary.json").read_text())[:4] == ["<pad>", "<unk>", "<sos>", "<eos>"]
    assert (tmp_path / "source.spm").read_bytes() != (tmp_path / "target.spm").read_bytes()


def test_without_the_package_it_says_what_to_install(make_bundle, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    with pytest.raises(ModelError, match=r"pip install 'polyhead\[export\]'"):
        write_ctranslate2(make_bundle(), tmp_path)


def test_every_transformer_fits_and_nothing_else(make_bundle, kind):
    assert ctranslate2_obstacles(make_bundle(**kind).config) == []
    (obstacle,) = ctranslate2_obstacles(make_bundle(kind="rnn", d_model=12, hidden_size=12).config)
    assert "no recurrent models" in obstacle
