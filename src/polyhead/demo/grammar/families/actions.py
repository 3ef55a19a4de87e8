"""Sentences with a full verb: sleeping, reading a book, giving it to someone, liking one thing more than another."""

from random import Random

from polyhead.demo.grammar.clauses import (
    Act,
    Clause,
    Modal,
    NounPhrase,
    Polarity,
    Prefer,
    Referent,
    Relation,
    Tense,
)
from polyhead.demo.grammar.families.referents import animal, fellow, object_of, person, polarity, tense, weighted
from polyhead.demo.grammar.lexicon import adverbials, nouns, verbs
from polyhead.demo.grammar.lexicon.verbs import Dealing, Doing
from polyhead.demo.grammar.words import Phrase, Place

# Animals come up twice as often as anything else.
_KINDS = tuple(
    nouns.GROUPS[name] for name in ("species", "species", "drinks", "food", "books", "subjects", "clothes", "transport")
)
_LIKE, _LOVE, _HATE, _PREFER = (verbs.VERBS[name] for name in ("like", "love", "hate", "prefer"))


def doing(rng: Random) -> Clause:
    """Return a random clause with an intransitive verb, as in "The cat slept in the garden yesterday"."""
    choice = rng.choice(verbs.DOINGS)
    subject = _agent(rng, choice)
    return _around(rng, subject, Act(choice.verb), places=choice.places, with_manner=choice.with_manner)


def dealing(rng: Random) -> Clause:
    """Return a random clause with a transitive verb, as in "She often reads a book"."""
    choice = rng.choice(verbs.DEALINGS)
    subject = _agent(rng, choice)
    if choice.persons and (not choice.objects or rng.random() < 0.5):
        thing = fellow(rng, subject)
    else:
        thing = object_of(rng, choice.objects, subject, generic=choice.verb in (_LIKE, _HATE, _LOVE))
    return _around(rng, subject, Act(choice.verb, thing), places=choice.places, with_manner=choice.with_manner)


def giving(rng: Random) -> Clause:
    """Return a random clause with an object and a recipient, as in "He gave the flower to Anna"."""
    choice = rng.choice(verbs.GIVINGS)
    subject = person(rng)
    act = Act(choice.verb, object_of(rng, choice.objects, subject), fellow(rng, subject, pronouns=False))
    return _around(rng, subject, act)


def preference(rng: Random) -> Clause:
    """Return a random preference, as in "I like cats more than dogs"."""
    liked, other = (
        NounPhrase(noun, "bare", "singular" if noun.mass else "plural") for noun in rng.sample(rng.choice(_KINDS), 2)
    )
    verb = weighted(rng, {_LIKE: 64, _HATE: 16, _PREFER: 20})
    relations: dict[Relation, int] = {"more": 60, "less": 20, "equal": 20}
    relation = None if verb == _PREFER else weighted(rng, relations)
    tenses: dict[Tense, int] = {"present": 75, "past": 25}
    return Clause(person(rng), Prefer(verb, liked, other, relation), weighted(rng, tenses))


def _agent(rng: Random, choice: Doing | Dealing) -> Referent:
    is_animal = choice.agent == "animal" or (choice.agent == "both" and rng.random() < 0.5)
    return animal(rng) if is_animal else person(rng)


def _around(
    rng: Random, subject: Referent, act: Act, *, places: tuple[Place, ...] = (), with_manner: bool = False
) -> Clause:
    """Return the clause with a tense, a polarity and at most two of modal verb, adverb, place and time."""
    when, negation = tense(rng), polarity(rng)
    modal = _modal(rng, act, when, negation)
    frequency: Phrase | None = None
    if not modal and not act.verb.stative and negation == "positive" and when != "future" and rng.random() < 0.15:
        frequency = rng.choice(adverbials.FREQUENCIES)
    manner = rng.choice(adverbials.MANNERS) if with_manner and rng.random() < 0.2 else None
    place = rng.choice(places) if places and not manner and rng.random() < 0.35 else None
    timeless = frequency or negation == "never" or (manner and modal)
    time = rng.choice(adverbials.TIMES[when]) if not timeless and rng.random() < 0.3 else None
    around = Act(act.verb, act.object, act.recipient, modal, frequency, manner, place, time)
    return Clause(subject, around, when, negation)


def _modal(rng: Random, act: Act, when: Tense, negation: Polarity) -> Modal | None:
    if act.verb.stative or when == "future" or negation == "never" or rng.random() > 0.22:
        return None
    choices: dict[Modal, int] = {"can": 35, "want": 40, "must": 25 if negation == "positive" else 0}
    return weighted(rng, choices)
