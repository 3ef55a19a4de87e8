"""What the languages of a corpus look like."""

from polyhead.data.readers.pair import Pair
from polyhead.ngrams import Comparison
from polyhead.recipe.profiles import profiles_of
from tests.prose import PROSE


def pairs(source, target, named=True):
    return [
        Pair(one, other, target if named else None, "a:1")
        for one, other in zip(PROSE[source], PROSE[target], strict=True)
    ]


def test_every_language_of_the_corpus_has_its_profile():
    found = profiles_of([*pairs("en", "fr"), *pairs("en", "ko")], "en")
    assert list(found) == ["en", "fr", "ko"]
    assert next(iter(Comparison(found).ranked("la neige et le feu"))) == "fr"


def test_sources_in_several_languages_are_known_as_targets():
    found = profiles_of([*pairs("en", "de"), *pairs("de", "en")], None)
    assert set(found) == {"en", "de"}
    assert next(iter(Comparison(found).ranked("der Schnee und das Feuer"))) == "de"


def test_a_language_without_a_name_or_with_too_little_text_has_none():
    assert list(profiles_of(pairs("en", "de", named=False), "en")) == ["en"]
    assert profiles_of([Pair("a b", "c d", "de", "a:1")], "en") == {}


def test_a_long_text_is_looked_at_in_part():
    long = [Pair(" ".join(PROSE["en"]) * 1_000, "a", "de", "a:1")] * 3
    assert profiles_of(long, "en")["en"].totals[0] < 5_000


def test_of_a_large_corpus_pairs_at_even_distances_are_looked_at(monkeypatch):
    some = [*pairs("en", "fr"), *pairs("en", "de")] * 4
    monkeypatch.setattr("polyhead.data.statistics.LARGE", len(some) - 1)
    whole = profiles_of(some, "en")
    monkeypatch.setattr("polyhead.recipe.profiles._PAIRS", len(some) // 3)
    assert profiles_of(some, "en") == profiles_of(some[::3], "en") != whole
