"""Because-clauses, whose pronoun can only be understood from the adjective: "… because it was too tired/wide"."""

from random import Random

from polyhead.demo.grammar.clauses import (
    Act,
    Because,
    BeQuality,
    Clause,
    Degree,
    NounPhrase,
    Polarity,
    Referent,
    Tense,
    anaphor,
)
from polyhead.demo.grammar.families.referents import definite, person, weighted
from polyhead.demo.grammar.lexicon import situations
from polyhead.demo.grammar.lexicon.nouns import GROUPS
from polyhead.demo.grammar.lexicon.situations import Situation
from polyhead.demo.grammar.words import Adjective, Gender, Noun


def reason(rng: Random) -> Because:
    """Return a random sentence such as "The animal didn't cross the street because it was too tired".

    The subject and the tense may be any.
    """
    is_animal = rng.random() < 0.62
    situation = rng.choice(situations.OF_ANIMALS if is_animal else situations.OF_PEOPLE)
    subject = definite(rng, GROUPS["animals"]) if is_animal else person(rng)
    return _because(rng, situation, subject, _object(rng, situation.objects), about_subject=rng.random() < 0.5)


def coreference(rng: Random, subject: Gender, thing: Gender, *, about_subject: bool) -> Because:
    """Return a because-sentence with "it" whose subject and object are singular and have the given French genders."""
    situation, objects = rng.choice(
        [
            (situation, objects)
            for situation in situations.OF_ANIMALS
            if (objects := [noun for noun in situation.objects if noun.gender == thing])
        ]
    )
    agents = [noun for noun in GROUPS["animals"] if noun.gender == subject]
    return _because(
        rng,
        situation,
        definite(rng, agents, number="singular"),
        definite(rng, objects, number="singular"),
        about_subject=about_subject,
    )


def _object(rng: Random, nouns: tuple[Noun, ...]) -> NounPhrase:
    noun = rng.choice(nouns)
    if rng.random() < 0.3:
        return definite(rng, [noun])
    plural = not noun.mass and rng.random() < 0.2
    return NounPhrase(noun, "the", "plural" if plural else "singular")


def _because(
    rng: Random, situation: Situation, subject: Referent, thing: NounPhrase, *, about_subject: bool
) -> Because:
    hindered = rng.random() < 0.65
    tenses: dict[Tense, int] = {"past": 66, "present": 22, "future": 12}
    when = weighted(rng, tenses)
    polarity: Polarity = "not" if hindered else "positive"
    main = Clause(subject, Act(situation.verb, thing), when, polarity)
    adjective = rng.choice(_adjectives(situation, about_subject=about_subject, hindered=hindered))
    degrees: dict[Degree, int] = {"too": 80, "very": 20} if hindered else {"very": 65, "": 35}
    quality = BeQuality(adjective, weighted(rng, degrees))
    topic = anaphor(subject if about_subject else thing)
    return Because(main, Clause(topic, quality, "past" if when == "past" else "present"))


def _adjectives(situation: Situation, *, about_subject: bool, hindered: bool) -> tuple[Adjective, ...]:
    if about_subject:
        return situation.subject_hindered if hindered else situation.subject_driven
    return situation.object_hinders if hindered else situation.object_attracts
