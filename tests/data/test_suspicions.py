"""What spoils a training without stopping it."""

import random

import pytest

from polyhead.data.readers import Pair
from polyhead.data.suspicions import suspicions


def pairs(count: int, seed: int = 1) -> list[Pair]:
    draw = random.Random(seed)
    texts = [" ".join(f"w{draw.randrange(99)}" for _ in range(draw.randrange(4, 20))) for _ in range(count)]
    return [Pair(text, f"{text} dort".upper(), None, f"train:{number}") for number, text in enumerate(texts, 1)]


def test_nothing_is_said_of_what_is_well() -> None:
    assert suspicions(pairs(2000), pairs(50, seed=2)) == []
    assert suspicions([]) == []


def test_pairs_to_validate_on_that_are_training_pairs_are_counted() -> None:
    train = pairs(600)
    known = Pair(f"  {train[7].source.upper()}", train[7].target.lower(), None, "dev:3")
    (said,) = suspicions(train, [*pairs(2, seed=2), known])
    assert said.startswith("1 of the pairs to validate on is a training pair too (first: dev:3)")
    (said,) = suspicions(train, [train[7], known])
    assert said.startswith("2 pairs to validate on are training pairs too (first: train:8)")


@pytest.mark.parametrize("blank", ["", " \t"])
def test_blank_sides_to_validate_on_are_counted(blank: str) -> None:
    (said,) = suspicions(pairs(600), [Pair("one", blank, None, "dev:1")])
    assert said.startswith("1 of the pairs to validate on has an empty side (first: dev:1)")


def test_the_same_text_on_both_sides_is_counted_where_it_is_much() -> None:
    train = pairs(600)
    copies = [Pair(pair.source, pair.source, None, pair.origin) for pair in train]
    assert suspicions([*copies[:20], *train[20:]]) == []
    (said,) = suspicions([*copies[:60], *train[60:]])
    assert said.startswith("60 training pairs have the same text on both sides (first: train:1)")


def test_a_shuffled_side_is_noticed() -> None:
    train = pairs(2000)
    targets = [pair.target for pair in train]
    random.Random(3).shuffle(targets)
    shuffled = [Pair(pair.source, target, None, "") for pair, target in zip(train, targets, strict=True)]
    (said,) = suspicions(shuffled)
    assert "is one of them sorted or shuffled?" in said
    assert suspicions(shuffled[:100]) == [], "so few may have such lengths by chance"


def test_nul_characters_are_counted() -> None:
    (said,) = suspicions([*pairs(600), Pair("a\0b", "c", None, "train:9")])
    assert said.startswith("1 of the training pairs has NUL characters (first: train:9)")
