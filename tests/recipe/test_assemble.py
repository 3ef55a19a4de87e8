"""What a run says of its vocabulary, and of pairs that are too long for it."""

import pytest

from polyhead.recipe.assemble import assemble
from polyhead.recipe.plan import make_plan
from polyhead.training.log import PlainDisplay


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
