"""What is said of a corpus that is too small."""

import pytest

from polyhead.data.clean import CleaningReport
from polyhead.data.readers import Pair
from polyhead.recipe.expectation import of_schedule, what_to_expect
from polyhead.recipe.load import make_recipe
from polyhead.recipe.plan import make_plan
from polyhead.recipe.prepare import Pairs


def pairs(train: int, dev: int, held_out: bool = True) -> Pairs:
    some = [Pair(f"source {number}", "target", None, f"f:{number}") for number in range(train + dev)]
    return Pairs(some[dev:], some[:dev], [], CleaningReport(train + dev, train + dev, ()), held_out)


@pytest.mark.parametrize(
    ("train", "dev", "held_out", "said"),
    [
        (1, 1, True, ["1 pair to learn from", "held out for validation: 1 pair;"]),
        (475, 25, True, ["475 pairs to learn from", "held out for validation: 25 pairs;"]),
        (1200, 63, True, ["held out for validation: 63 pairs;"]),
        (300, 5, False, ["300 pairs to learn from"]),
        (9500, 500, True, []),
        (9500, 5, False, []),
    ],
)
def test_a_small_corpus_and_a_small_validation_set_are_named(train, dev, held_out, said):
    found = what_to_expect(pairs(train, dev, held_out))
    assert len(found) == len(said)
    assert all(part in sentence for part, sentence in zip(said, found, strict=True))


def test_validation_on_the_training_pairs_is_said():
    one = [Pair("a", "b", None, "f:1")]
    found = what_to_expect(Pairs(one, one, [], CleaningReport(1, 1, ()), True))
    assert "validation is on the training pairs themselves" in found[1]
    assert "held out for validation" not in " ".join(found)


def test_a_warm_up_that_is_longer_than_the_run_is_said(toy):
    def of(warmup, updates, possible=None):
        values = toy.values(training__max_updates=updates, training__minutes=2, training__schedule__warmup=warmup)
        return of_schedule(make_recipe(values), possible)

    assert of(20, 20) == []
    (said,) = of(4000, 20)
    assert "training.schedule.warmup = 4,000, but training.max_updates = 20; the learning rate comes to 0% of" in said
    assert of(400, 4000, possible=4000) == []
    (said,) = of(400, 4000, possible=100)
    assert "warmup = 400, but training.minutes = 2 is time for about 100; the learning rate comes to 25% of" in said


def test_a_long_warm_up_is_said_before_the_work_begins(toy, capfd):
    make_plan(toy.values(training__max_updates=5))
    assert "training.schedule.warmup = 10, but training.max_updates = 5" in capfd.readouterr().err
