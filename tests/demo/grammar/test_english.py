"""English morphology and the verb group."""

import pytest

from polyhead.demo.grammar.clauses import Act, BeQuality, Clause, Existence, Modal, NounPhrase, Polarity, Pronoun, Tense
from polyhead.demo.grammar.english.morphology import article, past, plural, third_person
from polyhead.demo.grammar.english.realise import Style, sentence
from polyhead.demo.grammar.lexicon.adjectives import ADJECTIVES
from polyhead.demo.grammar.words import Noun, Place, Verb

HE = Pronoun(3, "singular", "m")
LOOK_FOR = Verb("look for", "chercher", "찾다")
GO_OUT = Verb("go out", "sortir", "나가다", "went")


def test_inflection() -> None:
    assert [article(word) for word in ("apple", "uniform", "honest man", "book")] == ["an", "a", "an", "a"]
    assert [plural(Noun(word, "", "m", "")) for word in ("box", "key", "cherry", "bench")] == [
        "boxes",
        "keys",
        "cherries",
        "benches",
    ]
    assert (third_person(LOOK_FOR), past(LOOK_FOR)) == ("looks for", "looked for")
    assert (third_person(GO_OUT), past(GO_OUT)) == ("goes out", "went out")
    assert (third_person(Verb("cry", "", "")), past(Verb("cry", "", ""))) == ("cries", "cried")


@pytest.mark.parametrize(
    ("tense", "polarity", "modal", "contracted", "expected"),
    [
        ("present", "positive", None, True, "He goes out"),
        ("present", "not", None, True, "He doesn't go out"),
        ("past", "not", None, False, "He did not go out"),
        ("past", "never", None, True, "He never went out"),
        ("future", "not", None, True, "He won't go out"),
        ("future", "never", None, True, "He will never go out"),
        ("present", "not", "can", True, "He can't go out"),
        ("present", "not", "can", False, "He cannot go out"),
        ("past", "positive", "can", True, "He could go out"),
        ("past", "positive", "must", True, "He had to go out"),
        ("present", "not", "want", True, "He doesn't want to go out"),
        ("past", "positive", "want", True, "He wanted to go out"),
    ],
)
def test_the_verb_group(tense: Tense, polarity: Polarity, modal: Modal | None, contracted: bool, expected: str) -> None:
    clause = Clause(HE, Act(GO_OUT, modal=modal), tense, polarity)
    assert sentence(clause, Style(contracted=contracted)) == expected


def test_to_be() -> None:
    tired = BeQuality(ADJECTIVES["tired"], "too")
    assert sentence(Clause(Pronoun(1, "singular"), tired, polarity="not"), Style()) == "I am not too tired"
    assert sentence(Clause(HE, tired, "past", "not"), Style()) == "He wasn't too tired"
    cats = NounPhrase(Noun("cat", "chat", "m", "고양이"), "bare", "plural")
    garden = Place("in", "dans", Noun("garden", "jardin", "m", "정원"))
    assert sentence(Existence(cats, garden, polarity="not"), Style()) == "There aren't any cats in the garden"
