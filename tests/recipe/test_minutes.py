"""What is chosen for a training that may take only so many minutes, on machines of all speeds."""

import pytest
import torch

from polyhead.data.statistics import CorpusStatistics
from polyhead.recipe import minutes
from polyhead.recipe.load import make_recipe

CORPUS = CorpusStatistics(25_000, 25_000, 100, 400_000, 400_000)


def chosen_within(monkeypatch, seconds, an_update, device="cpu", **training):
    """The recipe, the reason for each choice, and how many updates are possible. an_update: a recipe's seconds"""
    monkeypatch.setattr(minutes, "seconds_an_update", lambda recipe, *more: an_update(recipe))
    lines = {"kind": "lines", "source": "a", "target": "b"}
    values = {"data": {"train": [lines]}, "training": {"minutes": seconds / 60, **training}}
    completed, choices, possible = minutes.complete_within(values, CORPUS, torch.device(device), seconds)
    assert len({choice.key for choice in choices}) == len(choices), "every choice is said once"
    return make_recipe(completed), {choice.key: choice.why for choice in choices}, possible


def test_few_minutes_choose_a_short_warm_up_and_a_smaller_model(monkeypatch):
    monkeypatch.setattr("polyhead.recipe.rules.LARGE", 100)  # so that the small model is the usual one

    def by_width(recipe):
        return recipe.model.d_model / 500

    recipe, why, _ = chosen_within(monkeypatch, 400, by_width, max_updates=3000)
    assert recipe.model.d_model == 128
    assert "is too little for the small model" in why["model.preset"]
    assert recipe.training.schedule.warmup == 66, "a twentieth of the 1,328 updates for which there is time"
    assert recipe.training.validate_every == 94, "14 times in these"
    assert recipe.training.max_updates == 3000
    longer, _, _ = chosen_within(monkeypatch, 4000, by_width, max_updates=3000)
    assert longer.model.d_model == 256
    assert longer.training.schedule.warmup == 150


def test_very_few_minutes_choose_the_smallest_preset(monkeypatch):
    monkeypatch.setattr("polyhead.recipe.rules.HUGE", 100)
    recipe, why, _ = chosen_within(monkeypatch, 60, lambda recipe: recipe.model.d_model / 100, device="cuda")
    assert (recipe.model.d_model, recipe.model.encoder_layers, recipe.model.decoder_layers) == (128, 2, 2)
    assert "is too little for the tiny model" in why["model.preset"]


@pytest.mark.parametrize(("seconds", "layers"), [(400, 4), (392, 2)])
def test_a_third_of_a_whole_run_is_enough_for_the_tiny_model(monkeypatch, seconds, layers):
    recipe, _, _ = chosen_within(monkeypatch, seconds, lambda recipe: 1 / 3, max_updates=3000)
    assert recipe.model.decoder_layers == layers


@pytest.mark.parametrize(
    ("seconds", "power", "batch"),
    [
        pytest.param(3000, 1.0, 16_384, id="enough updates, 2,550"),
        pytest.param(1000, 1.0, 8192, id="850, and of half the size 1,700"),
        pytest.param(200, 1.0, 2048, id="170, 340, 680 and 1,360"),
        pytest.param(1000, 0.5, 16_384, id="half a batch takes most of a whole one's time, as on a GPU"),
    ],
)
def test_few_minutes_choose_smaller_batches_where_these_make_more_updates_possible(monkeypatch, seconds, power, batch):
    def an_update(recipe):
        return (recipe.data.batching.max_tokens / 16_384) ** power

    recipe, why, possible = chosen_within(monkeypatch, seconds, an_update)
    assert recipe.data.batching.max_tokens == batch
    assert possible == pytest.approx(0.85 * seconds / an_update(recipe), rel=0.01)
    assert ("is time for too few larger batches" in why["data.batching.max_tokens"]) == (batch < 16_384)


def test_a_batch_that_is_given_stays(monkeypatch):
    monkeypatch.setattr(minutes, "seconds_an_update", lambda *given: 1.0)
    values = {
        "data": {"train": [{"kind": "lines", "source": "a", "target": "b"}], "batching": {"max_tokens": 8192}},
        "training": {"minutes": 1.0},
    }
    completed, choices, _ = minutes.complete_within(values, CORPUS, torch.device("cpu"), 60)
    assert completed["data"]["batching"]["max_tokens"] == 8192
    assert "data.batching.max_tokens" not in {choice.key for choice in choices}
