"""What follows from the corpus where a recipe leaves it open."""

import pytest
import torch

from polyhead.recipe.defaults import complete
from polyhead.recipe.load import make_recipe

CPU = torch.device("cpu")
DATA = {"data": {"train": [{"kind": "lines", "source": "a", "target": "b"}]}}


@pytest.mark.parametrize("pairs", [1, 100, 3_000, 30_000, 100_000, 1_000_000, 50_000_000])
def test_every_corpus_size_gets_a_valid_recipe(pairs):
    values, choices = complete(DATA, pairs, CPU)
    recipe = make_recipe(values)
    assert recipe.training.max_updates >= recipe.training.validate_every
    assert {choice.key for choice in choices} >= {"model.preset", "training.max_updates", "model.dropout"}
    assert all(str(choice).startswith(choice.key) for choice in choices)


def test_larger_corpora_get_larger_models_and_less_dropout():
    recipes = [make_recipe(complete(DATA, pairs, CPU)[0]) for pairs in (10_000, 100_000, 1_000_000)]
    assert [recipe.model.d_model for recipe in recipes] == [128, 256, 256]
    assert [recipe.model.dropout for recipe in recipes] == [0.3, 0.2, 0.1]
    gpu = make_recipe(complete(DATA, 1_000_000, torch.device("cuda"))[0])
    assert gpu.model.d_model == 512


def test_what_is_given_stays():
    given = {
        **DATA,
        "model": {"d_model": 64, "dropout": 0.0},
        "training": {"schedule": {"kind": "paper"}, "patience": "none"},
    }
    values, choices = complete(given, 1000, CPU)
    recipe = make_recipe(values)
    assert (recipe.model.d_model, recipe.model.dropout, recipe.training.schedule.kind) == (64, 0.0, "paper")
    assert recipe.training.patience is None
    assert not {"model.preset", "model.dropout", "training.patience"} & {choice.key for choice in choices}


def test_two_vocabularies_are_not_tied_three_ways():
    values = complete({**DATA, "tokenizer": {"shared": False}}, 1000, CPU)[0]
    assert make_recipe(values).model.tie_embeddings == "output"


def test_numbers_given_as_text_count_too():
    given = {"data": {**DATA["data"], "batching": {"max_tokens": "512"}}, "model": {"d_model": "64"}}
    assert make_recipe(complete(given, 1000, CPU)[0]).data.batching.max_tokens == 512


@pytest.mark.parametrize("kind", ["rnn", "rnn-attention"])
def test_the_ancestors_have_no_presets(kind):
    values, choices = complete({**DATA, "model": {"kind": kind}}, 1000, CPU)
    assert make_recipe(values).model.kind == kind
    assert "model.preset" not in {choice.key for choice in choices}


@pytest.mark.parametrize(("cores", "max_tokens", "workers"), [(1, 8192, 1), (2, 8192, 2), (8, 8192, 2), (8, 4096, 1)])
def test_cores_share_large_batches(cores, max_tokens, workers, monkeypatch):
    monkeypatch.setattr(torch, "get_num_threads", lambda: cores)
    given = {"data": {**DATA["data"], "batching": {"max_tokens": max_tokens}}}
    assert make_recipe(complete(given, 30_000, CPU)[0]).training.workers == workers
    assert make_recipe(complete(given, 30_000, torch.device("cuda"))[0]).training.workers == 1
    ancestor = {**given, "model": {"kind": "rnn"}}
    assert make_recipe(complete(ancestor, 30_000, CPU)[0]).training.workers == 1


def test_a_resumed_run_keeps_its_shares_whatever_the_machine(monkeypatch):
    monkeypatch.setattr(torch, "get_num_threads", lambda: 8)
    begun = {"training": {"workers": 1}}
    assert make_recipe(complete(DATA, 30_000, CPU, begun)[0]).training.workers == 1
    given = {**DATA, "training": {"workers": 4}}
    assert make_recipe(complete(given, 30_000, CPU, begun)[0]).training.workers == 4
