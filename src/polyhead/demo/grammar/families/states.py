"""Sentences with "to be": professions, qualities, comparisons, positions, existence."""

from random import Random

from polyhead.demo.grammar.clauses import (
    BeAt,
    BeCompared,
    BeProfession,
    BeQuality,
    Clause,
    Degree,
    Existence,
    NounPhrase,
    Polarity,
    Referent,
    Relation,
    person_of,
)
from polyhead.demo.grammar.families.referents import animal, definite, person, polarity, tense, weighted
from polyhead.demo.grammar.lexicon import animals, people, places, things
from polyhead.demo.grammar.lexicon.adjectives import COLOURS, OF_PEOPLE, qualities_of
from polyhead.demo.grammar.words import Adjective, Noun

_COMPARABLE: tuple[tuple[Noun, ...], ...] = (
    animals.ANIMALS,
    people.PEOPLE,
    people.PROFESSIONS,
    things.TEXTS,
    things.CLOTHES,
    things.FRUITS,
    things.DISHES,
    things.GOODS,
    things.QUESTIONS,
    things.LOADS,
    things.FURNITURE,
    things.VEHICLES + things.CARRIERS,
    places.ROADS,
    places.HEIGHTS,
    places.ROOMS,
    places.SIGHTS,
)
_THINGS = tuple(noun for group in _COMPARABLE[3:] for noun in group)
_MOVABLE = things.GOODS + things.TEXTS[:6] + things.DISHWARE + things.FRUITS + animals.PETS
_SURFACES = things.FURNITURE[:3] + things.FURNITURE[4:7]
_CONTAINERS = things.LOADS[:5] + things.FURNITURE[6:7] + things.OPENABLE[2:]
_NEIGHBOURS = things.FURNITURE[:6] + things.VEHICLES + places.BUILDINGS[:1] + things.PLANTS[:1] + things.OPENABLE[:2]


def profession(rng: Random) -> Clause:
    """As in "I am a student"."""
    subject = person(rng)
    while isinstance(subject, NounPhrase) and subject.noun in people.PROFESSIONS:
        subject = person(rng)
    return Clause(subject, BeProfession(rng.choice(people.PROFESSIONS)), tense(rng), _negation(rng, 0.3))


def quality(rng: Random) -> Clause:
    """As in "The street is too wide"."""
    subject = _subject(rng)
    adjective = rng.choice(_qualities(subject))
    is_thing = isinstance(subject, NounPhrase) and subject.noun.being == "thing"
    negation = _negation(rng, 0.3) if is_thing else polarity(rng)
    degrees: dict[Degree, int] = {"": 50, "very": 30, "too": 20}
    graded = negation != "never" and adjective not in COLOURS
    return Clause(subject, BeQuality(adjective, weighted(rng, degrees) if graded else ""), tense(rng), negation)


def comparison(rng: Random) -> Clause:
    """As in "The dog is bigger than the cat"."""
    subject = _subject(rng)
    relations: dict[Relation, int] = {"more": 60, "less": 20, "equal": 20}
    adjective = rng.choice([word for word in _qualities(subject) if not word.fr_avoir and word not in COLOURS])
    standard = _standard(rng, subject)
    return Clause(subject, BeCompared(adjective, weighted(rng, relations), standard), tense(rng), _negation(rng, 0.2))


def position(rng: Random) -> Clause:
    """As in "The book is on the table"."""
    landmarks = {places.ON: _SURFACES, places.IN: _CONTAINERS} | dict.fromkeys(places.POSITIONS, _NEIGHBOURS)
    where = rng.choice(tuple(landmarks))
    if where.en == "under":
        landmarks[where] = _SURFACES
    landmark = NounPhrase(rng.choice(landmarks[where]))
    return Clause(definite(rng, _MOVABLE), BeAt(where, landmark), tense(rng), _negation(rng, 0.25))


def existence(rng: Random) -> Existence:
    """As in "There is a cat in the garden"."""
    nouns, where = rng.choice(
        (
            (animals.ANIMALS, places.OUTDOORS),
            (people.PEOPLE + people.PROFESSIONS, places.EVERYWHERE),
            (things.FURNITURE + things.GOODS + things.DISHWARE, places.IN_ROOMS),
        )
    )
    plural = rng.random() < 0.4
    thing = NounPhrase(rng.choice(nouns), "bare" if plural else "a", "plural" if plural else "singular")
    return Existence(thing, rng.choice(where), tense(rng), _negation(rng, 0.3))


def _negation(rng: Random, share: float) -> Polarity:
    return "not" if rng.random() < share else "positive"


def _subject(rng: Random) -> Referent:
    kind = weighted(rng, {"person": 32, "animal": 22, "thing": 46})
    return person(rng) if kind == "person" else animal(rng) if kind == "animal" else definite(rng, _THINGS)


def _qualities(subject: Referent) -> tuple[Adjective, ...]:
    return qualities_of(subject.noun) if isinstance(subject, NounPhrase) else OF_PEOPLE


def _standard(rng: Random, subject: Referent) -> Referent:
    if not isinstance(subject, NounPhrase) or subject.noun.being == "person":
        other = person(rng)
        while type(other) is not type(subject) or person_of(other) == person_of(subject) != 3 or other == subject:
            other = person(rng)
        return other
    group = next(nouns for nouns in _COMPARABLE if subject.noun in nouns)
    return definite(rng, [noun for noun in group if noun != subject.noun])
