"""What is said of a finished model."""

from types import SimpleNamespace

import pytest

from polyhead.recipe import finish
from polyhead.recipe.finish import judge_finished
from polyhead.training.log import SilentDisplay
from polyhead.training.world import ALONE


@pytest.mark.parametrize("tagged", [False, True])
def test_test_sets_of_one_file_keep_scores_of_their_own(monkeypatch, tagged):
    monkeypatch.setattr(finish, "load_weights", lambda bundle, weights: None)
    monkeypatch.setattr(finish, "Translator", lambda bundle, **options: None)
    monkeypatch.setattr(finish, "score_pairs", lambda translator, pairs, *more, **options: {"xb": pairs})
    recipe = SimpleNamespace(data=SimpleNamespace(score_tokenize=None), decoding=SimpleNamespace(beam_size=1))
    bundle = SimpleNamespace(config=SimpleNamespace(tagged=tagged))
    pairs = SimpleNamespace(dev="a", test=[("news", "b"), ("news", "c"), ("dev", "d"), ("news", "e")])
    found = judge_finished(recipe, bundle, {}, pairs, SilentDisplay(), ALONE)
    end = " (xb)" if tagged else ""
    assert found == {
        f"dev{end}": "a",
        f"news{end}": "b",
        f"news{end} #2": "c",
        f"dev{end} #2": "d",
        f"news{end} #3": "e",
    }
