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
from polyhead.demo.grammar.lexicon import adjectives, nouns, places
from polyhead.demo.grammar.lexicon.adjectives import qualities_of
from polyhead.demo.grammar.words import Adjective

_SORTS = tuple(
    nouns.GROUPS[name]
    for name in (
        "texts", "clothes", "fruits", "dishes", "goods", "questions", "loads", "furniture", "transport", "roads",
        "heights", "rooms", "sights",
    )
)  # fmt: skip
_THINGS = tuple(noun for sort in _SORTS for noun in sort)
_COMPARABLE = (nouns.GROUPS["animals"], nouns.GROUPS["people"], nouns.GROUPS["professions"], *_SORTS)
_LANDMARKS = {"on": "surfaces", "in": "containers", "under": "surfaces"}


def profession(rng: Random) -> Clause:
    """Return a random clause that names a profession, as in "I am a student"."""
    subject = person(rng)
    while isinstance(subject, NounPhrase) and subject.noun in nouns.GROUPS["professions"]:
        subject = person(rng)
    return Clause(subject, BeProfession(rng.choice(nouns.GROUPS["professions"])), tense(rng), _negation(rng, 0.3))


def quality(rng: Random) -> Clause:
    """Return a random clause that names a quality, as in "The street is too wide"."""
    subject = _subject(rng)
    adjective = rng.choice(_qualities(subject))
    is_thing = isinstance(subject, NounPhrase) and subject.noun.being == "thing"
    negation = _negation(rng, 0.3) if is_thing else polarity(rng)
    degrees: dict[Degree, int] = {"": 50, "very": 30, "too": 20}
    graded = negation != "never" and adjective not in adjectives.GROUPS["colours"]
    return Clause(subject, BeQuality(adjective, weighted(rng, degrees) if graded else ""), tense(rng), negation)


def comparison(rng: Random) -> Clause:
    """Return a random comparison, as in "The dog is bigger than the cat"."""
    subject = _subject(rng)
    relations: dict[Relation, int] = {"more": 60, "less": 20, "equal": 20}
    adjective = rng.choice(
        [word for word in _qualities(subject) if not word.fr_avoir and word not in adjectives.GROUPS["colours"]]
    )
    standard = _standard(rng, subject)
    return Clause(subject, BeCompared(adjective, weighted(rng, relations), standard), tense(rng), _negation(rng, 0.2))


def position(rng: Random) -> Clause:
    """Return a random clause that says where something is, as in "The book is on the table"."""
    where = rng.choice(places.POSITIONS)
    landmark = NounPhrase(rng.choice(nouns.GROUPS[_LANDMARKS.get(where.en, "neighbours")]))
    return Clause(definite(rng, nouns.GROUPS["movable"]), BeAt(where, landmark), tense(rng), _negation(rng, 0.25))


def existence(rng: Random) -> Existence:
    """Return a random sentence that says what there is somewhere, as in "There is a cat in the garden"."""
    what, where = rng.choice((("animals", "outdoors"), ("persons", "everywhere"), ("household", "rooms")))
    plural = rng.random() < 0.4
    thing = NounPhrase(rng.choice(nouns.GROUPS[what]), "bare" if plural else "a", "plural" if plural else "singular")
    return Existence(thing, rng.choice(places.GROUPS[where]), tense(rng), _negation(rng, 0.3))


def _negation(rng: Random, share: float) -> Polarity:
    return "not" if rng.random() < share else "positive"


def _subject(rng: Random) -> Referent:
    kind = weighted(rng, {"person": 32, "animal": 22, "thing": 46})
    return person(rng) if kind == "person" else animal(rng) if kind == "animal" else definite(rng, _THINGS)


def _qualities(subject: Referent) -> tuple[Adjective, ...]:
    return qualities_of(subject.noun) if isinstance(subject, NounPhrase) else adjectives.GROUPS["people"]


def _standard(rng: Random, subject: Referent) -> Referent:
    if not isinstance(subject, NounPhrase) or subject.noun.being == "person":
        other = person(rng)
        while type(other) is not type(subject) or person_of(other) == person_of(subject) != 3 or other == subject:
            other = person(rng)
        return other
    group = next(sort for sort in _COMPARABLE if subject.noun in sort)
    return definite(rng, [noun for noun in group if noun != subject.noun])
