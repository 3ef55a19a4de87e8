"""What the benchmark says of translations' quality: nothing of broken-off turns, and how much of it is luck."""

import pytest

from benchmarks.corpora import TextSet
from benchmarks.quality import chances, quality
from benchmarks.systems import OURS

ANIMALS = ("Hund", "Esel", "Vogel", "Fisch", "Hase", "Bär", "Wolf", "Igel")
REFERENCES = tuple(f"Der {one} sieht heute den alten {other} am Fluss." for one in ANIMALS for other in ANIMALS)
TEST_SET = TextSet("animals", "de", tuple(f"line {n}" for n in range(len(REFERENCES))), REFERENCES)
ALMOST = ["Ein Tier.", *REFERENCES[1:-1], "Ein Tier."]
POOR = [text.replace("heute den", "nun ein") for text in REFERENCES]


def test_bleu_and_agreement_of_whole_outputs() -> None:
    found = {measure: value for measure, value, _ in quality(ALMOST, TEST_SET, REFERENCES)}
    assert found["as polyhead in float32"] == pytest.approx(100 * 62 / 64, abs=0.01)
    assert 90 < found["BLEU"] < 100


def test_nothing_is_said_of_a_turn_that_was_broken_off() -> None:
    assert list(quality(ALMOST[:10], TEST_SET, REFERENCES)) == []
    assert chances({OURS: ALMOST, "Peer": POOR[:10]}, TEST_SET) == {}
    assert chances({OURS: ALMOST[:10], "Peer": POOR}, TEST_SET) == {}


def test_equal_outputs_differ_by_chance_alone_and_worse_ones_hardly() -> None:
    found = chances({"Twin": ALMOST, OURS: list(ALMOST), "Poor": POOR}, TEST_SET)
    assert found["Twin"] == 1.0
    assert found["Poor"] < 0.01


def test_two_bad_lines_that_moved_are_no_difference() -> None:
    moved = [*REFERENCES[:30], "Ein Tier.", "Ein Tier.", *REFERENCES[32:]]
    assert chances({OURS: ALMOST, "Peer": moved}, TEST_SET)["Peer"] > 0.05


def test_without_ours_nothing_is_compared() -> None:
    assert chances({"One": ALMOST, "Two": POOR}, TEST_SET) == {}
