"""Random subjects and objects: pronouns, names and noun phrases."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from polyhead.demo.grammar.clauses import Determiner, NounPhrase, Number, Pair, Polarity, Pronoun, Referent, Tense
from polyhead.demo.grammar.lexicon.adjectives import attributes_of
from polyhead.demo.grammar.lexicon.nouns import GROUPS, NAMES
from polyhead.demo.grammar.words import Noun

_Choice = TypeVar("_Choice")

PRONOUNS = (
    Pronoun(1, "singular"),
    Pronoun(2, "singular"),
    Pronoun(3, "singular", "m"),
    Pronoun(3, "singular", "f"),
    Pronoun(1, "plural"),
    Pronoun(3, "plural", "m"),
)
_I, _YOU, _HE, _SHE, _WE, _ = PRONOUNS
_SPEAKERS = (_I, _YOU, _WE)


def weighted(rng: Random, choices: dict[_Choice, int]) -> _Choice:
    """Return a key, drawn in proportion to its value."""
    return rng.choices(tuple(choices), tuple(choices.values()))[0]


def tense(rng: Random) -> Tense:
    """Return past, present or future."""
    choices: dict[Tense, int] = {"present": 40, "past": 40, "future": 20}
    return weighted(rng, choices)


def polarity(rng: Random) -> Polarity:
    """Return a polarity, mostly positive."""
    choices: dict[Polarity, int] = {"positive": 66, "not": 28, "never": 6}
    return weighted(rng, choices)


def person(rng: Random) -> Referent:
    """Return a person or several as a subject."""
    match weighted(rng, {"pronoun": 42, "name": 14, "noun": 26, "kin": 12, "pair": 6}):
        case "pronoun":
            return rng.choice(PRONOUNS)
        case "name":
            return rng.choice(NAMES)
        case "noun":
            return definite(rng, GROUPS["persons"])
        case "kin":
            return _kin(rng)
        case _:
            return _pair(rng)


def fellow(rng: Random, subject: Referent, *, pronouns: bool = True) -> Referent:
    """Return a person as an object or a recipient, never the subject itself."""
    kind = weighted(rng, {"pronoun": 35 if pronouns else 0, "name": 20, "noun": 30, "kin": 15})
    match kind:
        case "pronoun":
            person = subject.person if isinstance(subject, Pronoun) else 0
            return rng.choice([pronoun for pronoun in PRONOUNS if pronoun.person != person or person == 3])
        case "name":
            return rng.choice([name for name in NAMES if name != subject])
        case "kin":
            return _kin(rng)
        case _:
            return definite(rng, GROUPS["persons"])


def animal(rng: Random) -> NounPhrase:
    """Return an animal or several as a subject."""
    return definite(rng, GROUPS["animals"])


def definite(rng: Random, nouns: Sequence[Noun], *, number: Number | None = None) -> NounPhrase:
    """Return one of the nouns with "the", "this", "that" or a possessive, now and then with an adjective."""
    choices: dict[Determiner, int] = {"the": 70, "this": 8, "that": 6, "possessive": 10}
    return _noun_phrase(rng, rng.choice(nouns), weighted(rng, choices), number, _SPEAKERS)


def object_of(rng: Random, nouns: Sequence[Noun], subject: Referent, *, generic: bool = False) -> NounPhrase:
    """Return one of the nouns as an object; `generic` prefers the whole kind, as in "likes cats"."""
    noun = rng.choice(nouns)
    if noun in GROUPS["subjects"]:
        return NounPhrase(noun, "bare")
    choices: dict[Determiner, int] = {"the": 42, "a": 24, "possessive": 14, "this": 7, "that": 5, "bare": 10}
    if generic:
        choices = {"bare": 75, "the": 10, "this": 8, "possessive": 7}
    elif noun.mass:
        choices = {"the": 45, "bare": 45, "possessive": 5, "this": 5}
    owners = PRONOUNS if isinstance(subject, Pronoun) else _SPEAKERS
    return _noun_phrase(rng, noun, weighted(rng, choices), None, owners)


def _noun_phrase(
    rng: Random, noun: Noun, determiner: Determiner, number: Number | None, owners: Sequence[Pronoun]
) -> NounPhrase:
    if noun.mass or determiner == "a":
        number = "singular"
    elif determiner == "bare":
        number = "plural"
    chosen: Number = number or ("plural" if rng.random() < 0.25 else "singular")
    adjectives = attributes_of(noun)
    # « ce livre rouge-là » is clumsy: "that" goes without adjective.
    adjective = rng.choice(adjectives) if adjectives and determiner != "that" and rng.random() < 0.2 else None
    possessor = rng.choice(owners) if determiner == "possessive" else None
    return NounPhrase(noun, determiner, chosen, adjective, possessor)


def _kin(rng: Random) -> NounPhrase:
    return NounPhrase(rng.choice(GROUPS["kin"]), "possessive", possessor=rng.choice((_I, _I, _YOU, _HE, _SHE, _WE)))


def _pair(rng: Random) -> Pair:
    if rng.random() < 0.5:
        first, second = rng.sample(NAMES, 2)
        return Pair(first, second)
    one, other = rng.sample(GROUPS["persons"], 2)
    return Pair(NounPhrase(one), NounPhrase(other))
