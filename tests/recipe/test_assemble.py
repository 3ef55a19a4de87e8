"""What a run says of its vocabulary and of pairs that are too long for it, and which of its processes read what."""

from pathlib import Path

import pytest

from polyhead.errors import DataError, RecipeError
from polyhead.recipe import assemble as module
from polyhead.recipe.assemble import assemble
from polyhead.recipe.plan import make_plan
from polyhead.training.log import PlainDisplay, SilentDisplay
from polyhead.training.world import Alone


def said(toy, capfd, **keys) -> str:
    plan = make_plan(toy.values(**keys))
    capfd.readouterr()
    assemble(plan.recipe, plan.pairs, plan.device, PlainDisplay())
    return capfd.readouterr().err


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"vocabulary_size": 5000}, "tokenizer.vocabulary_size = 5,000 became 34: the text has no more to give"),
        ({"kind": "bpe", "vocabulary_size": 5}, "tokenizer.vocabulary_size = 5 became 2"),
        ({"vocabulary_size": 20}, ""),
    ],
)
def test_a_vocabulary_of_another_size_than_asked_for_is_said(toy, capfd, keys, sentence):
    err = said(toy, capfd, **{f"tokenizer__{key}": value for key, value in keys.items()})
    assert sentence in err
    assert ("became" in err) == bool(sentence)


def test_the_limit_that_pairs_are_too_long_for_is_named(toy, capfd):
    err = said(toy, capfd, data__max_tokens=6)
    assert "with more tokens on a side than data.max_tokens = 6 (first: " in err
    err = said(toy, capfd, model__max_length=6)
    assert "with more tokens on a side than model.max_length = 6 (first: " in err


def test_pairs_to_validate_on_that_are_too_long_are_counted_and_never_all_of_them(toy, capfd):
    dev = toy.write("judged", 3)
    assert "dev_loss" not in said(toy, capfd, data__dev=[dev])
    with Path(dev["source"]).open("a", encoding="utf-8") as source, Path(dev["target"]).open("a") as target:
        source.write("bado " * 90 + "\n")
        target.write("bado\n")
    err = said(toy, capfd, data__dev=[dev], model__max_length=64)
    assert "left out of dev_loss: 1 of 4 pairs with more tokens on a side than model.max_length = 64 (first: " in err
    Path(dev["source"]).write_text("bado " * 90 + "\n", encoding="utf-8")
    Path(dev["target"]).write_text("bado\n", encoding="utf-8")
    with pytest.raises(RecipeError, match="nothing is left to validate on: 1 pair with more .* model.max_length = 64 "):
        said(toy, capfd, data__dev=[dev], model__max_length=64)


def test_word_vectors_are_read_by_the_process_whose_weights_all_begin_with(toy, monkeypatch):
    monkeypatch.setattr(module, "tokenizers_of", lambda world, config, make: make())
    plan = make_plan(toy.values(word_vectors=str(toy.directory / "nowhere")))
    with pytest.raises(DataError, match="nowhere"):
        assemble(plan.recipe, plan.pairs, plan.device, SilentDisplay(), Alone(rank=0, size=2))
    assemble(plan.recipe, plan.pairs, plan.device, SilentDisplay(), Alone(rank=1, size=2))
