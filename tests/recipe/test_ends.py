"""How a run ends: with a falling rate, at a limit or before it, and what is said of that."""

import json
import time

import pytest

from polyhead.recipe.train import train

WSD = {"kind": "wsd", "learning_rate": 0.01, "warmup": 5, "decay": 0.25}


def rates(directory):
    """Update → learning rate."""
    lines = [json.loads(line) for line in (directory / "training" / "metrics.jsonl").read_text().splitlines()]
    return {line["update"]: line["learning_rate"] for line in lines if "learning_rate" in line}


def test_the_rate_falls_to_0_at_the_limit(toy, capsys):
    found = rates(train(toy.values(training__schedule=WSD, training__log_every=1)).directory)
    assert [found[update] for update in (15, 16, 18, 20)] == pytest.approx([0.01, 0.01, 0.006, 0.002])
    assert "falls to 0 from here to update 20, the last one" in capsys.readouterr().err


def test_a_run_that_has_stopped_learning_ends_before_its_limit(toy, capsys):
    values = toy.values(
        training__schedule={**WSD, "learning_rate": 1e-9},
        training__max_updates=500,
        training__validate_every=2,
        training__min_delta=0.01,
        training__metric="dev_loss",
    )
    outcome = train(values)
    said = capsys.readouterr().err
    assert outcome.finished
    assert 60 <= max(rates(outcome.directory)) < 80
    assert "learning has stopped, so training ends" in said
    assert "it was still learning" not in said


def test_a_run_that_was_still_learning_says_how_to_go_on_and_does(toy, capsys):
    learning = {"training__schedule": WSD, "training__min_delta": 0.001, "training__metric": "dev_loss"}
    train(toy.values(training__max_updates=60, training__validate_every=2, **learning))
    assert "to go on: --resume --training.max_updates 120" in capsys.readouterr().err
    again = train(toy.values(training__max_updates=120, training__validate_every=2, **learning), resume=True)
    assert again.finished
    found = rates(again.directory)
    assert max(found) == 120
    assert found[60] < 0.001 < 0.01 == found[72]


def test_minutes_end_a_run_and_the_rate_falls_before_they_are_over(toy, capsys):
    outcome = train(
        toy.values(
            training__schedule=WSD,
            training__max_updates=1_000_000,
            training__validate_every=200,
            training__log_every=1,  # so that the last update has a line, however few a slow machine makes
            training__min_delta=0.001,
            training__minutes=0.06,
        )
    )
    assert outcome.finished
    found = rates(outcome.directory)
    assert max(found) < 1_000_000
    assert found[max(found)] < 0.002
    assert "to go on: --resume --training.minutes 1" in capsys.readouterr().err


def test_the_time_before_training_is_a_part_of_the_minutes(toy):
    began = time.monotonic() - 60
    values = toy.values(
        training__schedule=WSD, training__max_updates=1_000_000, training__minutes=1, training__log_every=1
    )
    outcome = train(values, began=began)
    lines = (outcome.directory / "training" / "metrics.jsonl").read_text().splitlines()
    assert outcome.finished
    assert max(json.loads(line).get("seconds", 0) for line in lines) < 20


def corpus_of(values):
    import torch

    from polyhead.data.statistics import CorpusStatistics
    from polyhead.recipe.load import make_recipe
    from polyhead.recipe.prepare import read_pairs

    pairs = read_pairs(make_recipe({**values, "model": {}}).data, 1)
    return CorpusStatistics.of(pairs.train), torch.device("cpu")


@pytest.mark.parametrize("kind", ["transformer", "rnn-attention"])
def test_the_pace_of_updates_is_found_out_by_doing_some(toy, kind):
    from polyhead.recipe.defaults import complete
    from polyhead.recipe.load import make_recipe
    from polyhead.recipe.pace import seconds_an_update

    values = {**toy.values(), "model": {"kind": kind, "d_model": 32}}
    corpus, device = corpus_of(values)
    recipe = make_recipe(complete(values, corpus, device)[0])
    assert 0 < seconds_an_update(recipe, corpus, device) < 60


def test_the_pace_of_several_processes_is_that_of_a_part_of_a_batch(toy, monkeypatch):
    from polyhead.recipe.defaults import complete
    from polyhead.recipe.load import make_recipe
    from polyhead.recipe.pace import seconds_an_update
    from polyhead.training.shares import Differentiation

    collect, sentences = Differentiation.collect, []

    def counted(self, batches, *given):
        sentences.append(sum(len(batch.source) for batch in batches))
        return collect(self, batches, *given)

    monkeypatch.setattr(Differentiation, "collect", counted)
    corpus, device = corpus_of(toy.values())
    recipe = make_recipe(complete(toy.values(data__batching__max_tokens=2000), corpus, device)[0])
    for processes in (1, 4):
        seconds_an_update(recipe, corpus, device, processes)
    assert 4 * sentences[-1] == pytest.approx(sentences[0], abs=4)
