"""What is counted of a corpus."""

import numpy as np
import pytest

from benchmarks.cells import without_spaces
from polyhead.data.readers import Pair
from polyhead.data.statistics import CorpusStatistics
from polyhead.demo.grammar import generate


def corpus(*texts: tuple[str, str]) -> CorpusStatistics:
    return CorpusStatistics.of([Pair(source, target, None, "") for source, target in texts])


def test_words_are_told_apart_without_case_and_punctuation() -> None:
    counted = corpus(("The cat, the dog.", "Le chat (le chien)"), ("A cat!", "Un chat !"))
    assert counted.pairs == 2
    assert counted.word_types == len({"the", "cat", "dog", "le", "chat", "chien", "a", "un", ""})


def test_words_without_spaces_are_counted_by_neighbouring_characters_that_come_again() -> None:
    once, again = ("A cat", "猫が水を飲む"), ("A dog", "犬と猫が、水を飲んだ")
    assert corpus(once).word_types == len({"a", "cat"})
    assert corpus(once, again).word_types == len({"a", "cat", "dog", ""} | {"猫が", "水を", "を飲"})


@pytest.mark.parametrize("text", ["고양이가 물을 마신다", "แมวดื่มน้ำ แล้ว เธอนอน", "Ölçü nedir ki"])
def test_other_scripts_have_their_words_between_spaces(text: str) -> None:
    assert corpus((text, text), (text, text)).word_types == 3


def test_sentences_of_few_words_have_few_without_spaces_too() -> None:
    """The demo's Korean in Chinese characters, one for each syllable, and without spaces."""
    examples = [each for each in generate(1).train if each.language == "ko"][:9_000]
    spaced = corpus(*((each.source, each.target) for each in examples))
    unspaced = corpus(*((each.source, without_spaces(each.target)) for each in examples))
    assert spaced.word_types < unspaced.word_types < 2 * spaced.word_types
    assert len({each.target for each in examples}) > 2 * spaced.word_types


def test_characters_of_both_sides_are_counted_once() -> None:
    assert corpus(("abc", "cd"), ("a", "개")).characters == 5


def test_a_korean_syllable_weighs_more_than_a_letter() -> None:
    counted = corpus(("I go to school every day", "저는 매일 학교에 갑니다"))
    assert counted.source_tokens == pytest.approx(6, abs=1)
    assert counted.target_tokens == pytest.approx(8, abs=1)


def test_a_large_corpus_is_counted_by_its_first_part(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [Pair(f"word{number % 50} is", "so it is", None, "") for number in range(1000)]
    whole = CorpusStatistics.of(pairs)
    monkeypatch.setattr("polyhead.data.statistics.LOOKED_AT", 100)
    assert CorpusStatistics.of(pairs) == whole


def test_nothing_is_no_corpus_and_no_error() -> None:
    assert CorpusStatistics.of([]) == CorpusStatistics(0, 0, 0, 0, 0)


def test_a_large_corpus_of_little_weight_is_little_text() -> None:
    pairs = [Pair(f"word{number} is", "so it is", None, "") for number in range(1000)]
    weights = np.array([1.0] * 100 + [0.01] * 900)
    counted, few = CorpusStatistics.of(pairs, weights), CorpusStatistics.of(pairs[:100])
    assert few.pairs < counted.pairs < 1.2 * few.pairs
    assert counted.tokens == pytest.approx(few.tokens * counted.pairs / few.pairs, rel=0.05)
    assert counted.word_types == CorpusStatistics.of(pairs).word_types


def test_all_pairs_twice_are_no_more_text() -> None:
    pairs = [Pair(f"word{number} is", "so it is", None, "") for number in range(100)]
    assert CorpusStatistics.of(pairs, np.full(100, 2.0)) == CorpusStatistics.of(pairs)
