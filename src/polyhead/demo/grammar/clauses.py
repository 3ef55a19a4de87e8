"""The abstract sentence, before any language: who does what to whom, when, where and whether at all.

One value of these types is realised in English, French and Korean, so the three always mean the same thing.
"""

from dataclasses import dataclass
from typing import Literal

from polyhead.demo.grammar.words import Adjective, Being, Gender, Name, Noun, Phrase, Place, Position, Verb

Person = Literal[1, 2, 3]
Number = Literal["singular", "plural"]
Tense = Literal["past", "present", "future", "should"]
Polarity = Literal["positive", "not", "never"]
Determiner = Literal["the", "a", "bare", "this", "that", "possessive"]
Modal = Literal["can", "must", "want"]
Degree = Literal["", "too", "very"]
Relation = Literal["more", "less", "equal"]


@dataclass(frozen=True)
class Pronoun:
    """A personal pronoun. The gender is that of its antecedent.

    A speaker, a hearer and a mixed group count as masculine.
    """

    person: Person
    number: Number
    gender: Gender = "m"
    being: Being = "person"


@dataclass(frozen=True)
class NounPhrase:
    """A noun with its determiner and at most one adjective; only the determiner "possessive" has a `possessor`."""

    noun: Noun
    determiner: Determiner = "the"
    number: Number = "singular"
    adjective: Adjective | None = None
    possessor: Pronoun | None = None


@dataclass(frozen=True)
class Pair:
    """Two singular referents joined by "and"."""

    first: "NounPhrase | Name"
    second: "NounPhrase | Name"


Referent = Pronoun | NounPhrase | Name | Pair


@dataclass(frozen=True)
class BeProfession:
    """The predicate that names a profession, as in "… is a student"."""

    noun: Noun


@dataclass(frozen=True)
class BeQuality:
    """The predicate that names a quality, as in "… is (too, very) tired"."""

    adjective: Adjective
    degree: Degree = ""


@dataclass(frozen=True)
class BeCompared:
    """The predicate that compares, as in "… is bigger than, less big than, as big as the cat"."""

    adjective: Adjective
    relation: Relation
    standard: Referent


@dataclass(frozen=True)
class BeAt:
    """The predicate that says where something is, as in "… is under the table"."""

    position: Position
    landmark: NounPhrase


@dataclass(frozen=True)
class Act:
    """A full verb with everything around it."""

    verb: Verb
    object: Referent | None = None
    recipient: Referent | None = None
    modal: Modal | None = None
    frequency: Phrase | None = None
    manner: Phrase | None = None
    place: Place | None = None
    time: Phrase | None = None


@dataclass(frozen=True)
class Prefer:
    """A preference, as in "… likes cats more than dogs"; without a relation as in "… prefers cats to dogs"."""

    verb: Verb
    liked: NounPhrase
    other: NounPhrase
    relation: Relation | None


Predicate = BeProfession | BeQuality | BeCompared | BeAt | Act | Prefer


@dataclass(frozen=True)
class Clause:
    """A subject with its predicate."""

    subject: Referent
    predicate: Predicate
    tense: Tense = "present"
    polarity: Polarity = "positive"


@dataclass(frozen=True)
class Existence:
    """What there is somewhere, as in "There is a cat in the garden". The polarity is "positive" or "not"."""

    thing: NounPhrase
    place: Place
    tense: Tense = "present"
    polarity: Polarity = "positive"


@dataclass(frozen=True)
class Because:
    """A main clause and the reason for it."""

    main: Clause
    reason: Clause


@dataclass(frozen=True)
class Contrast:
    """Two clauses joined by "but"."""

    first: Clause
    second: Clause


Sentence = Clause | Existence | Because | Contrast


def number_of(referent: Referent) -> Number:
    """Return the grammatical number of a referent."""
    match referent:
        case Pronoun() | NounPhrase():
            return referent.number
        case Name():
            return "singular"
        case Pair():
            return "plural"


def gender_of(referent: Referent) -> Gender:
    """Return the (French) grammatical gender of a referent; a pair is feminine only where both members are."""
    match referent:
        case Pronoun() | Name():
            return referent.gender
        case NounPhrase():
            return referent.noun.gender
        case Pair():
            both_feminine = gender_of(referent.first) == gender_of(referent.second) == "f"
            return "f" if both_feminine else "m"


def person_of(referent: Referent) -> Person:
    """Return the grammatical person of a referent: 1, 2 or 3."""
    return referent.person if isinstance(referent, Pronoun) else 3


def anaphor(referent: Referent) -> Pronoun:
    """Return the pronoun that takes a referent up again: "the street" → it, feminine."""
    if isinstance(referent, Pronoun):
        return referent
    being: Being = referent.noun.being if isinstance(referent, NounPhrase) else "person"
    return Pronoun(3, number_of(referent), gender_of(referent), being)
