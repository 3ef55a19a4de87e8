import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhead.errors import PolyheadError
from polyhead.evaluation.by_length import quality_by_length
from polyhead.evaluation.scoring import MetricOptions, measure


def _sources(lengths: list[int]) -> list[str]:
    return [" ".join(["w"] * length) for length in lengths]


def _labels(lengths: list[int], quantiles: int | None = None) -> list[tuple[str, int]]:
    texts = ["x y z"] * len(lengths)
    quality = quality_by_length(_sources(lengths), texts, texts, "en", ["bleu"], quantiles=quantiles)
    return [(bucket.label, bucket.sentences) for bucket in quality.buckets]


def test_bounds_belong_to_the_shorter_bucket_and_empty_buckets_are_left_out() -> None:
    assert _labels([0, 1, 10, 11, 20, 45, 50, 51, 99]) == [
        ("0", 1), ("1–10", 2), ("11–20", 2), ("41–50", 2), ("51+", 2),
    ]  # fmt: skip


def test_quantiles_hold_about_as_many_sentences() -> None:
    assert _labels(list(range(1, 13)), quantiles=4) == [("1–3", 3), ("4–6", 3), ("7–9", 3), ("10–12", 3)]
    assert _labels([5, 5, 5, 5, 7], quantiles=3) == [("1–5", 4), ("6–7", 1)]
    assert _labels([0, 0], quantiles=2) == [("0", 2)]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 70), min_size=1, max_size=12), st.none() | st.integers(1, 5))
def test_every_sentence_is_in_exactly_one_bucket_that_fits(lengths: list[int], quantiles: int | None) -> None:
    texts = ["x"] * len(lengths)
    quality = quality_by_length(_sources(lengths), texts, texts, "en", ["bleu"], quantiles=quantiles)
    assert sum(bucket.sentences for bucket in quality.buckets) == len(lengths)
    for bucket in quality.buckets:
        longest = bucket.longest if bucket.longest is not None else 10**6
        assert sum(bucket.shortest <= length <= longest for length in lengths) == bucket.sentences


def test_a_bucket_scores_as_its_sentences_alone() -> None:
    sources = _sources([3, 31, 4, 32])
    outputs = ["a b c d e", "a b x d e f", "g h i j k", "g h y j z k"]
    references = ["a b c d e", "a b c d e f", "g h i j k", "g h i j k l"]
    short, long = quality_by_length(sources, outputs, references, "en", ["bleu", "chrf"]).buckets
    assert [score.value for score in short.scores] == pytest.approx([100, 100])
    options = MetricOptions("13a", "en", effective_order=True)
    assert long.scores == measure(outputs[1::2], [references[1::2]], ["bleu", "chrf"], options)


def test_short_sentences_can_be_perfect() -> None:
    quality = quality_by_length(["w"], ["Hello"], ["Hello"], "en")
    assert quality.buckets[0].scores[0].value == pytest.approx(100)
    assert "eff:yes" in quality.buckets[0].scores[0].signature


def test_characters_measure_languages_without_spaces() -> None:
    quality = quality_by_length(["我喜欢猫", "猫"], ["I like cats", "Cat"], ["I like cats", "Cat"], "en",
                                upper_bounds=[2, 4], unit="characters")  # fmt: skip
    assert [bucket.label for bucket in quality.buckets] == ["1–2", "3–4"]


def test_the_forms_for_programs_and_for_people() -> None:
    quality = quality_by_length(_sources([3, 12]), ["a b c d"] * 2, ["a b c d"] * 2, "en")
    assert json.loads(json.dumps(quality.to_dict()))["buckets"][1]["shortest"] == 11
    heading, *lines = str(quality).splitlines()
    assert heading.split() == ["source", "words", "sentences", "BLEU", "chrF2"]
    assert lines[0].split() == ["1–10", "1", "100.00", "100.00"]
    assert {len(line) for line in lines} == {len(heading)}


@pytest.mark.parametrize("bounds", [[10, 10], [20, 10], [0, 5], [-3]])
def test_bounds_must_ascend(bounds: list[int]) -> None:
    with pytest.raises(PolyheadError, match="ascend"):
        quality_by_length(["w"], ["x"], ["x"], "en", upper_bounds=bounds)


def test_other_mistakes_are_named() -> None:
    with pytest.raises(PolyheadError, match="1 hypothesis but 2 sources"):
        quality_by_length(["w", "w"], ["x"], ["x"], "en")
    with pytest.raises(PolyheadError, match="at least 1 quantile"):
        quality_by_length(["w"], ["x"], ["x"], "en", quantiles=0)
