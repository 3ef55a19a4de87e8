"""The sentences of the lecture, as meanings: the demo must translate them without having seen them."""

from polyhead.demo.grammar.clauses import (
    Act,
    Because,
    BeProfession,
    BeQuality,
    Clause,
    Contrast,
    NounPhrase,
    Prefer,
    Pronoun,
    Referent,
    Sentence,
    anaphor,
)
from polyhead.demo.grammar.lexicon import animals, people, places, verbs, wholes
from polyhead.demo.grammar.lexicon.adjectives import adjectives

_TIRED, _WIDE, _PERFECT, _JUST = adjectives("tired wide perfect just")
_I = Pronoun(1, "singular")
_STUDENT = next(noun for noun in people.PROFESSIONS if noun.en == "student")
_CATS = NounPhrase(animals.CAT, "bare", "plural")
_DOGS = NounPhrase(animals.DOG, "bare", "plural")
_ANIMAL = NounPhrase(animals.ANIMAL)
_STREET = NounPhrase(places.STREET)
_NOT_CROSSING = Clause(_ANIMAL, Act(verbs.CROSS, _STREET), "past", "not")
_LAW = NounPhrase(wholes.LAW)


def _it_was_too(antecedent: Referent, tired_or_wide: BeQuality) -> Because:
    return Because(_NOT_CROSSING, Clause(anaphor(antecedent), tired_or_wide, "past"))


LECTURE: tuple[Sentence, ...] = (
    Clause(_I, BeProfession(_STUDENT)),
    _it_was_too(_ANIMAL, BeQuality(_TIRED, "too")),
    _it_was_too(_STREET, BeQuality(_WIDE, "too")),
    Clause(_I, Prefer(verbs.LIKE, _CATS, _DOGS, "more")),
    Clause(_I, Prefer(verbs.LIKE, _DOGS, _CATS, "more")),
    Contrast(
        Clause(_LAW, BeQuality(_PERFECT), "future", "never"),
        Clause(NounPhrase(wholes.APPLICATION, "possessive", possessor=anaphor(_LAW)), BeQuality(_JUST), "should"),
    ),
)
