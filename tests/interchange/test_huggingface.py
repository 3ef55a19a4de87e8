"""transformers itself, where it is installed, must compute our logits and find what our own search finds."""

import json
import warnings

import pytest
import torch
from safetensors.torch import load_file

from polyhead.batch import collate
from polyhead.bundle.load import load_bundle
from polyhead.decoding.config import BeamConfig
from polyhead.interchange.huggingface import generation_settings, hugging_face_obstacles, write_hugging_face
from polyhead.translating.translator import Translator

SOURCES = [[5, 9, 200, 7, 30], [11], [90, 91, 92, 93, 94, 95, 96, 97, 98], [261, 262, 270]]
TARGETS = [[8, 6, 100], [], [4, 3], [50, 51, 52, 53, 54]]


@pytest.fixture
def load():
    """A directory → the model that transformers makes of it."""
    transformers = pytest.importorskip("transformers", reason="the package transformers is not installed")

    def read(directory):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # theirs, about themselves
            return transformers.AutoModelForSeq2SeqLM.from_pretrained(directory).eval()

    return read


def test_the_same_logits(load, make_bundle, tmp_path, kind):
    bundle = make_bundle(**kind)
    if hugging_face_obstacles(bundle.config):
        pytest.skip("this kind cannot be written")
    write_hugging_face(bundle, tmp_path)
    theirs, batch = load(tmp_path), collate(SOURCES, TARGETS)
    with torch.inference_mode():
        expected = bundle.model(batch.source, batch.source_mask, batch.target_in)
        found = theirs(batch.source, batch.source_mask.long(), decoder_input_ids=batch.target_in).logits
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize(("ours", "theirs"), [(0.0, 0.0), ("average", 1.0)])
def test_the_same_translations(load, toy, toy_model, tmp_path, size, ours, theirs):
    bundle = load_bundle(toy_model)
    write_hugging_face(bundle, tmp_path)
    texts = [
        text for text in toy.source(400, seed=3) if len(bundle.source_tokenizer.encode(text)) < 9
    ]  # 20 is the limit
    found = Translator(bundle).translate(texts, search=BeamConfig(beam_size=size, length_penalty=ours))
    batch = collate([bundle.source_tokenizer.encode(text) for text in texts], [[]] * len(texts))
    rows = load(tmp_path).generate(
        batch.source, attention_mask=batch.source_mask.long(), num_beams=size, length_penalty=theirs
    )
    texts = [bundle.target_tokenizer.decode(row) for row in rows.tolist()]
    assert texts == [each.text for each in found]
    assert len(set(texts)) > 50, "as many translations, not one for all"


def test_tied_weights_stand_once_and_all_are_real(make_bundle, tmp_path):
    for tying, tables in (("all", 1), ("output", 2), ("none", 3)):
        directory = tmp_path / tying
        directory.mkdir()
        bundle = make_bundle(tie_embeddings=tying)
        write_hugging_face(bundle, directory)
        tensors = load_file(directory / "model.safetensors")
        vocabulary = bundle.config.source_vocabulary
        assert sum(tensor.shape == (vocabulary, 12) for tensor in tensors.values()) == tables
        ours = sum(parameter.numel() for parameter in bundle.model.parameters())
        assert sum(tensor.numel() for tensor in tensors.values()) == ours + vocabulary  # final_logits_bias, zeros


def test_sines_come_first(make_bundle, tmp_path):
    bundle = make_bundle()
    write_hugging_face(bundle, tmp_path)
    found = load_file(tmp_path / "model.safetensors")["model.shared.weight"]
    ours = bundle.model.source_embedding.tokens.weight
    assert torch.equal(found[:, :6], ours[:, 0::2])
    assert torch.equal(found[:, 6:], ours[:, 1::2])


def test_every_obstacle_is_named(make_bundle):
    bundle = make_bundle(
        positions="learned", activation="swiglu", norm="pre", tie_embeddings="none", tokenizer="word", shared=False
    )
    found = hugging_face_obstacles(bundle.config)
    for key in ("tokenizer.kind", "model.positions", "model.activation", "model.tie_embeddings"):
        assert sum(key in reason for reason in found) == 1, key
    assert len(found) == 4
    assert hugging_face_obstacles(make_bundle(norm="pre").config) == []
    (only,) = hugging_face_obstacles(make_bundle(kind="rnn", d_model=12, hidden_size=12).config)
    assert "rnn" in only


def test_the_search_is_the_models_own(make_bundle, tmp_path):
    bundle = make_bundle(languages=("fr", "ko"))
    settings = generation_settings(bundle)
    assert settings["num_beams"] == 3
    assert settings["length_penalty"] == 1.0
    assert settings["suppress_tokens"] == [0, 2, 1, 4, 5], "neither specials nor language tags"
    assert settings["max_length"] == 30
    write_hugging_face(bundle, tmp_path)
    assert json.loads((tmp_path / "generation_config.json").read_text()) == settings
    assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "marian"
