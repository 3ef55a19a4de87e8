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
from polyhead.demo.grammar.lexicon.adjectives import ADJECTIVES
from polyhead.demo.grammar.lexicon.nouns import NOUNS
from polyhead.demo.grammar.lexicon.verbs import VERBS

_TIRED, _WIDE, _PERFECT, _JUST = (ADJECTIVES[name] for name in ("tired", "wide", "perfect", "just"))
_I = Pronoun(1, "singular")
_CATS = NounPhrase(NOUNS["cat"], "bare", "plural")
_DOGS = NounPhrase(NOUNS["dog"], "bare", "plural")
_ANIMAL = NounPhrase(NOUNS["animal"])
_STREET = NounPhrase(NOUNS["street"])
_NOT_CROSSING = Clause(_ANIMAL, Act(VERBS["cross"], _STREET), "past", "not")
_LAW = NounPhrase(NOUNS["Law"])


def _it_was_too(antecedent: Referent, tired_or_wide: BeQuality) -> Because:
    return Because(_NOT_CROSSING, Clause(anaphor(antecedent), tired_or_wide, "past"))


LECTURE: tuple[Sentence, ...] = (
    Clause(_I, BeProfession(NOUNS["student"])),
    _it_was_too(_ANIMAL, BeQuality(_TIRED, "too")),
    _it_was_too(_STREET, BeQuality(_WIDE, "too")),
    Clause(_I, Prefer(VERBS["like"], _CATS, _DOGS, "more")),
    Clause(_I, Prefer(VERBS["like"], _DOGS, _CATS, "more")),
    Contrast(
        Clause(_LAW, BeQuality(_PERFECT), "future", "never"),
        Clause(NounPhrase(NOUNS["application"], "possessive", possessor=anaphor(_LAW)), BeQuality(_JUST), "should"),
    ),
)
