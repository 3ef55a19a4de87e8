"""A whole run in this process: files in, a model directory out."""

import json
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from polyhead.data.store import EncodedCorpus
from polyhead.data.windows import Window
from polyhead.errors import DataError, RecipeError, TrainingError
from polyhead.model.build import MODELS
from polyhead.model.levels import on_levels
from polyhead.recipe import assemble, trainers
from polyhead.recipe.load import make_recipe
from polyhead.recipe.prepare import read_pairs
from polyhead.recipe.train import train
from polyhead.training.checkpoint import checkpoints, load_checkpoint
from polyhead.training.log import PlainDisplay
from polyhead.training.parallel import Workers
from polyhead.translating.translator import Translator

SMALL = {
    "transformer": {},
    "rnn": {"kind": "rnn", "d_model": 16, "hidden_size": 16},
    "rnn-attention": {"kind": "rnn-attention", "d_model": 16, "hidden_size": 16},
}


def metrics(directory: Path) -> list[dict[str, Any]]:
    """The lines of metrics.jsonl."""
    text = (directory / "training" / "metrics.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("minutes", [None, 0.01])
def test_a_run_ends_the_threads_that_it_began(toy, minutes, monkeypatch):
    values = toy.values(training__max_updates=4, training__validate_every=4, training__precision="bfloat16")
    values["training"] |= {
        "schedule": {"kind": "wsd", "warmup": 1},
        **({} if minutes is None else {"minutes": minutes}),
    }
    begun, ended = [], []
    begin, end = Workers.__init__, Workers.close
    monkeypatch.setattr(Workers, "__init__", lambda self, *count: (begun.append(self), begin(self, *count))[1])
    monkeypatch.setattr(Workers, "close", lambda self: (ended.append(self), end(self))[1])
    train(values)
    assert len(begun) >= 2
    assert set(map(id, ended)) == set(map(id, begun))


def test_the_languages_are_described_before_training_so_that_nothing_slow_follows_it(toy, monkeypatch):
    monkeypatch.setattr("polyhead.recipe.train.finish", lambda *given: {})
    directory = train(toy.values(training__max_updates=1)).directory
    assert (directory / "languages.json").exists()


@pytest.mark.parametrize("kind", sorted(MODELS))
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_every_kind_of_model_learns_and_leaves_a_complete_directory(toy, kind, precision):
    values = toy.values(
        training__max_updates=40, training__validate_every=20, training__log_every=10, training__precision=precision
    )
    values["model"] = SMALL[kind] or values["model"]
    outcome = train(values)
    assert outcome.finished
    assert set(outcome.scores["dev"]) == {"bleu", "chrf", "ter"}
    names = {str(path.relative_to(outcome.directory)) for path in outcome.directory.rglob("*") if path.is_file()}
    assert {"config.json", "languages.json", "model.safetensors", "shared.spm", "README.md"} <= names
    assert {"training/metrics.jsonl", "training/recipe.toml", "training/data.json"} <= names
    reports = [line for line in metrics(outcome.directory) if "loss" in line]
    assert [line["update"] for line in reports] == [10, 20, 30, 40]
    needed = {"update", "epoch", "seconds", "loss", "learning_rate", "target_tokens", "target_tokens_per_second"}
    assert needed <= set(reports[0])
    assert reports[-1]["loss"] < reports[0]["loss"] - 0.1
    validations = [line for line in metrics(outcome.directory) if "dev_loss" in line]
    assert [line["update"] for line in validations] == [20, 40]
    assert {"dev_loss", "dev_bleu", "dev_chrf"} <= set(validations[0])
    assert len(Translator.load(outcome.directory).translate(["bado kilu", ""])) == 2


@pytest.mark.parametrize("kind", sorted(MODELS))
def test_a_transformer_ends_on_the_levels_of_8_bit_products(toy, kind):
    values = toy.values(training__max_updates=20, training__averaging={"kind": "last", "count": 1})
    values["model"] = SMALL[kind] or values["model"]
    outcome = train(values)
    snapshot = max(outcome.directory.glob("training/snapshots/*.safetensors"))
    found, trained = (load_file(path) for path in (outcome.directory / "model.safetensors", snapshot))
    expected = on_levels(trained) if kind == "transformer" else trained
    assert found.keys() == expected.keys()
    assert all(np.array_equal(found[name], expected[name]) for name in found)


@pytest.mark.parametrize(
    "keys",
    [
        {"tokenizer__shared": False},
        {"training__averaging": {"kind": "ema", "decay": 0.9}},
        {"training__averaging": {"kind": "best", "count": 2}},
        {"training__averaging": {"kind": "last", "count": 2}},
        {"training__averaging": {"kind": "none"}},
        {"training__optimizer": {"accumulation": 3, "kind": "adamw", "weight_decay": 0.01}},
        {"tokenizer": {"kind": "bpe", "vocabulary_size": 300, "dropout": 0.1}},
        {"training__metric": "dev_chrf", "training__schedule": {"kind": "cosine", "learning_rate": 0.01, "warmup": 5}},
        {"training__metric": "dev_loss", "model__norm": "pre", "model__positions": "learned"},
    ],
    ids=lambda keys: next(iter(keys)),
)
def test_settings_that_change_the_run(toy, keys):
    outcome = train(toy.values(**keys))
    assert outcome.finished
    assert Translator.load(outcome.directory).translate(["bado kilu"])[0].tokens is not None


def test_without_a_dev_set_some_of_the_text_is_held_out(toy):
    outcome = train(toy.values(data__dev=[], training__max_updates=4))
    assert json.loads((outcome.directory / "training" / "data.json").read_text())["validation"]["pairs"] == 7


def test_an_epoch_has_the_pairs_that_the_weights_ask_for(toy):
    readers = [{**toy.write("many", 100), "weight": 0.5}, {**toy.write("few", 30, seed=6), "weight": 2}]
    recipe = make_recipe(toy.values(data__train=readers, data__max_tokens=6))
    pairs = read_pairs(recipe.data, recipe.seed)
    parts = assemble.assemble(recipe, pairs, torch.device("cpu"), PlainDisplay())
    short = [len(pair.source.split()) < 6 for pair in pairs.train]
    assert not all(short)
    expected = sum(pairs.weights[short])

    def of_epoch(epoch: int) -> EncodedCorpus:
        return parts.corpus(epoch, None).within(Window(epoch))

    assert all(abs(len(of_epoch(epoch)) - expected) < 1 for epoch in range(4))
    assert of_epoch(0).source_ids.tolist() != of_epoch(1).source_ids.tolist()
    assert of_epoch(0).source_ids.tolist() == of_epoch(0).source_ids.tolist()


def test_ends_by_epochs_and_by_patience(toy):
    by_epochs = train(toy.values("epochs", training__max_epochs=1, training__max_updates=10_000))
    assert max(line["epoch"] for line in metrics(by_epochs.directory)) == 1
    impatient = {"training__patience": 2, "training__max_updates": 10_000, "training__validate_every": 2}
    constant = {"training__schedule": {"kind": "constant", "learning_rate": 1e-9, "warmup": 1}}
    by_patience = train(toy.values("patience", **impatient, **constant))
    assert len([line for line in metrics(by_patience.directory) if "dev_loss" in line]) == 3


def test_several_directions_are_tagged(tagged_model):
    config = json.loads((tagged_model / "config.json").read_text())
    assert config["tagged"]
    assert config["target_languages"] == ["xb", "xc"]
    assert {"dev_bleu", "dev_bleu_xb", "dev_bleu_xc"} <= set(metrics(tagged_model)[-1])


def test_the_recorded_recipe_trains_the_same_model_again(toy):
    first = train(toy.values(training__patience="none", data__cleaning__max_ratio="none"))
    recorded = tomllib.loads((first.directory / "training" / "recipe.toml").read_text(encoding="utf-8"))
    second = train({**recorded, "out": str(toy.directory / "again")})
    weights = [(outcome.directory / "model.safetensors").read_bytes() for outcome in (first, second)]
    assert weights[0] == weights[1]


def test_test_sets_are_scored_and_stand_on_the_card(toy):
    outcome = train(toy.values(data__test=[toy.write("test", 8, seed=5)], training__max_updates=4))
    name = str(toy.directory / "test.source")
    assert set(outcome.scores) == {"dev", name}
    card = (outcome.directory / "README.md").read_text(encoding="utf-8")
    assert "| test.source | bleu |" in card
    assert "polyhead translate model\n" in card
    assert "- Data: `train.source`, `train.target`, 150 pairs\n" in card
    assert "- Validated on: `dev.source`, `dev.target`, 12 pairs\n" in card
    assert f"- Finished: {datetime.now(UTC).date().isoformat()}\n" in card
    assert "- Licence: none is named; the texts that it was trained on have their own\n" in card
    assert "Teacher" not in card
    assert str(toy.directory) not in card


def test_the_card_names_the_licence_and_text_that_was_held_out(toy):
    values = toy.values(licence="CC-BY-4.0", data__dev=[], training__max_updates=2)
    card = (train(values).directory / "README.md").read_text(encoding="utf-8")
    assert "- Licence: CC-BY-4.0\n" in card
    assert "- Validated on: 7 pairs held out of the training text\n" in card


def test_a_missing_test_set_is_noticed_before_training(toy):
    missing = {"kind": "lines", "source": str(toy.directory / "no"), "target": str(toy.directory / "no")}
    with pytest.raises(DataError, match="no such file"):
        train(toy.values(data__test=[missing]))
    assert not (toy.directory / "model").exists()


def test_what_does_not_fit_together_leaves_nothing_behind(toy):
    with pytest.raises(RecipeError, match="not divisible"):
        train(toy.values(model__num_heads=3))
    with pytest.raises(RecipeError, match="every training pair"):
        train(toy.values(data__max_tokens=2))
    assert not (toy.directory / "model").exists()


def test_a_language_that_training_lacks_is_noticed_before_training(toy):
    readers = [{**toy.write(name, 30, seed), "target_language": name} for seed, name in enumerate(("xb", "xc"))]
    with pytest.raises(RecipeError, match="no target language"):
        train(toy.values(data__train=readers))


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_loss_that_explodes_stops_the_run_and_keeps_the_last_good_checkpoint(toy, norm, monkeypatch):
    """After eight sensible updates the learning rate is a million."""
    monkeypatch.setattr(trainers, "build_schedule", lambda *_: lambda update, last: 0.01 if update <= 8 else 1e6)
    values = toy.values(model__norm=norm, training__max_updates=400, training__validate_every=8)
    with pytest.raises(TrainingError, match=r"training stopped at update \d+: .*learning_rate") as caught:
        train(values)
    found = checkpoints(toy.directory / "model" / "training" / "checkpoints")
    assert found[-1].name in str(caught.value)
    progress, tensors = load_checkpoint(found[0])
    assert progress.update == 8
    assert all(bool(tensor.isfinite().all()) for tensor in tensors.values() if tensor.is_floating_point())
    assert Translator.load(toy.directory / "model").translate(["bado"])[0].log_probability < 0


def test_word_vectors_start_the_embeddings(toy, capsys):
    path = toy.directory / "vectors.txt"
    path.write_text("2 16\nbado " + " ".join(["1.0"] * 16) + "\nkilu " + " ".join(["-1.0"] * 16) + "\n")
    train(toy.values(word_vectors=str(path), training__max_updates=1))
    assert "2 of" in capsys.readouterr().err
    with pytest.raises(DataError):
        train(toy.values("other", word_vectors=str(path), model__d_model=32))
