"""N-grams of languages."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.ngrams import MOST_GRAMS, Comparison, profile_of
from tests.prose import PROSE


@pytest.fixture(scope="module")
def profiles():
    return {language: profile_of(texts) for language, texts in PROSE.items()}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The weather was better than they had thought.", "en"),
        ("Das Wetter war besser, als sie gedacht hatten.", "de"),
        ("Le temps était meilleur qu'ils ne l'avaient pensé.", "fr"),
        ("날씨는 그들이 생각한 것보다 좋았다.", "ko"),
        ("THE WEATHER!", "en"),
        ("무엇을?", "ko"),
        ("   der   ", "de"),
    ],
)
def test_texts_are_told_apart(profiles, text, language):
    ranked = Comparison(profiles).ranked(text)
    assert next(iter(ranked)) == language
    assert ranked[language] > 0.5
    assert math.isclose(sum(ranked.values()), 1, abs_tol=0.5)


@pytest.mark.parametrize(
    "text",
    [
        "Погода была лучше, чем они думали, и дети пошли к реке.",
        "天気は思ったより良かったので、子供たちは川へ行きました。",
        "zxqv wqxz jjkq vvzx qqwx zzxk",
        "날씨는 그들이 생각한 것보다 좋았다.",
    ],
)
def test_a_text_in_none_of_them_is_in_none(profiles, text):
    ranked = Comparison({language: profiles[language] for language in ("en", "de", "fr")}).ranked(text)
    assert set(ranked.values()) == {0.0}


def test_one_language_alone_is_not_taken_for_granted(profiles):
    alone = Comparison({"ko": profiles["ko"]})
    assert alone.ranked("이른 아침에") == {"ko": 1.0}
    assert alone.ranked("early in the morning") == {"ko": 0.0}


@pytest.mark.parametrize("text", ["", " \n", "5 + 7 = 12", "…?!", "🎉"])
def test_a_text_without_letters_is_in_none(profiles, text):
    assert Comparison(profiles).ranked(text) == dict.fromkeys(PROSE, 0.0)


def test_how_much_text_there_was_makes_no_difference(profiles):
    often = {**profiles, "de": profile_of(PROSE["de"] * 50)}
    for text in ("The weather was better than they had thought.", "in", "war", "chat", "man"):
        assert Comparison(often).ranked(text) == pytest.approx(Comparison(profiles).ranked(text), abs=0.1)


def test_few_letters_have_no_profile():
    for texts in ([], ["", "5"], ["a"], ["a short text"]):
        assert profile_of(texts) is None


def test_a_profile_is_small(profiles):
    many = profile_of([f"{chr(0x4E00 + i)}{chr(0x4E00 + i * 7 % 20_000)}" * 5 for i in range(5_000)])
    assert many is not None
    assert len(many.grams) == MOST_GRAMS
    assert all(len(profile.grams) <= MOST_GRAMS for profile in profiles.values())


@given(st.text(max_size=60))
def test_whatever_the_text_is_probabilities_are_such(text):
    comparison = Comparison({language: profile_of(PROSE[language]) for language in ("en", "de")})
    ranked = comparison.ranked(text)
    assert set(ranked) == {"en", "de"}
    assert all(0 <= each <= 1 for each in ranked.values())
    assert sum(ranked.values()) <= 1 + 1e-9
