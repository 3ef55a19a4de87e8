"""What is given and what is chosen, key by key."""

import pytest
import torch

from polyhead.data.statistics import CorpusStatistics
from polyhead.errors import DataError, PolyheadError, RecipeError
from polyhead.recipe.decisions import decide
from polyhead.recipe.defaults import complete
from polyhead.recipe.load import make_recipe
from polyhead.recipe.prepare import read_pairs
from polyhead.recipe.train import train

NO_FILES = {"data": {"train": [{"kind": "lines", "source": "no", "target": "no"}]}}


@pytest.fixture
def values(toy):
    return {"threads": 1, "out": str(toy.directory / "model"), "data": {"train": [toy.write("train", 200)]}}


def test_without_a_corpus_nothing_is_chosen():
    decisions = decide({"seed": 3, "training": {"schedule": {"warmup": 7}}})
    assert {key: str(decision) for key, decision in decisions.items()} == {
        "seed": "given: 3",
        "training.schedule.warmup": "given: 7",
    }


def test_a_corpus_is_chosen_for_as_training_does(values, capfd):
    values |= {"model": {"dropout": 0.25}}
    decisions = decide(values)
    assert decisions["model.dropout"].by == "given"
    assert decisions["data.train"].value == values["data"]["train"]
    said = {f"{key} = {each.value}  ({each.why})" for key, each in decisions.items() if each.by == "chosen"}
    with pytest.raises(PolyheadError, match="nowhere"):  # which it opens when it has said what it chose
        train({**values, "word_vectors": "nowhere"})
    trained = {line.removeprefix("chosen: ") for line in capfd.readouterr().err.splitlines() if "chosen: " in line}
    assert len(trained) > 5
    assert said >= trained
    others = {line.partition(" ")[0] for line in said - trained}
    sizes = {f"model.{size}" for size in ("encoder_layers", "decoder_layers", "d_model", "d_ff", "num_heads")}
    assert others == sizes


def test_the_sizes_of_a_preset_are_told_but_of_those_that_are_given():
    decisions = decide({"model": {"preset": "small", "d_ff": 512}})
    assert str(decisions["model.d_model"]) == 'given: 256 (model.preset = "small")'
    assert str(decisions["model.d_ff"]) == "given: 512"


def test_choices_hold_in_the_recipe_that_is_trained(values):
    held_in = read_pairs(make_recipe(values).data, 1).train
    completed, _ = complete(values, CorpusStatistics.of(held_in), torch.device("cpu"))
    trained = make_recipe(completed).model_dump()
    for key, decision in decide(values).items():
        if decision.by == "chosen" and key != "model.preset":
            value = trained
            for part in key.split("."):
                value = value[part]
            assert value == decision.value, key


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": {"droput": 0.1}},
        {"model": {"preset": "huge"}},
        {"data": {}},
        {"tokenizer": {"shared": False}, "model": {"tie_embeddings": "all"}},
        NO_FILES,
        {"training": {"workers": 2}, "model": {"kind": "rnn"}},
        {**NO_FILES, "training": {"workers": 2}, "model": {"kind": "rnn"}},
        {"model": {"num_heads": 512}},  # which fits the plain default of d_model, not the chosen one
    ],
)
def test_what_is_wrong_is_said_as_in_training(values, wrong):
    messages = []
    for run in (decide, train):
        with pytest.raises((RecipeError, DataError)) as error:
            run({**values, **wrong})
        messages.append(str(error.value))
    assert messages[0] == messages[1]


def test_keys_are_checked_without_a_corpus_too():
    with pytest.raises(RecipeError, match="did you mean 'dropout'"):
        decide({"model": {"droput": 0.1}})


def test_languages_from_file_names_are_known_as_in_training(toy, values):
    values["data"] = {"train": [toy.write_named("train", 200)], "both_directions": True}
    assert decide(values)["data.both_directions"].by == "given"
