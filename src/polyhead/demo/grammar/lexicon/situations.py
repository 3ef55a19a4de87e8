"""What "it" can be in a because-clause: the adjective tells whether the subject or the object is meant.

Whoever acts is tired, hungry, afraid; what is acted on is wide, heavy, expensive. No adjective is in both lists.
"""

from dataclasses import dataclass

from polyhead.demo.grammar.lexicon import places, things, verbs
from polyhead.demo.grammar.lexicon.adjectives import adjectives
from polyhead.demo.grammar.words import Adjective, Noun, Verb

_HINDERED = adjectives(
    "tired sick weak lazy sad shy nervous busy slow young cautious clumsy distracted worried stubborn arrogant "
    "confused hungry thirsty"
)
_DRIVEN = adjectives("curious brave impatient hungry happy strong thirsty stubborn")
_HUNGRY = adjectives("hungry tired impatient")
_THIRSTY = adjectives("thirsty tired impatient")
_INTERESTED = adjectives("curious happy rich generous impatient")


@dataclass(frozen=True)
class Situation:
    """Something done to one of several objects, and what may hinder or move each side to do it."""

    verb: Verb
    objects: tuple[Noun, ...]
    object_hinders: tuple[Adjective, ...]
    object_attracts: tuple[Adjective, ...]
    subject_hindered: tuple[Adjective, ...] = _HINDERED
    subject_driven: tuple[Adjective, ...] = _DRIVEN


OF_ANIMALS = (
    Situation(
        verbs.CROSS,
        places.ROADS,
        adjectives("wide long dangerous noisy dark slippery dirty"),
        adjectives("narrow short"),
    ),
    Situation(verbs.CROSS, places.WATERS, adjectives("wide deep dangerous dirty"), adjectives("narrow")),
    Situation(verbs.CROSS, places.LANDS, adjectives("wide dangerous"), adjectives("narrow")),
    Situation(verbs.CLIMB, places.HEIGHTS, adjectives("high steep slippery dangerous"), adjectives("low")),
    Situation(verbs.JUMP_OVER, places.BARRIERS, adjectives("wide dangerous"), adjectives("narrow")),
    Situation(verbs.ENTER, places.SHELTERS, adjectives("dark dirty noisy dangerous"), adjectives("clean bright")),
    Situation(
        verbs.EAT,
        things.FRUITS,
        adjectives("sour hard bitter"),
        adjectives("sweet fresh delicious"),
        subject_driven=_HUNGRY,
    ),
    Situation(
        verbs.EAT,
        things.DISHES,
        adjectives("salty spicy hot bitter"),
        adjectives("delicious fresh"),
        subject_driven=_HUNGRY,
    ),
    Situation(
        verbs.DRINK,
        things.DRINKS[:4],
        adjectives("hot bitter sour"),
        adjectives("cold sweet fresh"),
        subject_driven=_THIRSTY,
    ),
    Situation(verbs.PULL, things.LOADS, adjectives("heavy slippery dirty"), adjectives("light")),
    Situation(verbs.PUSH, things.FURNITURE, adjectives("heavy dirty"), adjectives("light")),
)
OF_PEOPLE = (
    *OF_ANIMALS,
    Situation(verbs.CARRY, things.LOADS + things.FURNITURE, adjectives("heavy dirty"), adjectives("light precious")),
    Situation(
        verbs.BUY,
        things.CLOTHES + things.GOODS + things.VEHICLES + things.FURNITURE + (places.HOUSE,),
        adjectives("expensive dirty"),
        adjectives("elegant precious"),
        subject_driven=_INTERESTED,
    ),
    Situation(
        verbs.READ,
        things.TEXTS,
        adjectives("long difficult boring complicated"),
        adjectives("short easy interesting important"),
        subject_driven=_INTERESTED,
    ),
    Situation(
        verbs.TRANSLATE,
        things.TEXTS,
        adjectives("long difficult boring complicated"),
        adjectives("short easy interesting important"),
        subject_driven=_INTERESTED,
    ),
    Situation(
        verbs.UNDERSTAND, things.QUESTIONS, adjectives("difficult complicated long"), adjectives("clear simple easy")
    ),
    Situation(verbs.OPEN, things.OPENABLE, adjectives("heavy dirty"), adjectives("light")),
    Situation(
        verbs.REPAIR,
        things.MACHINES + things.VEHICLES,
        adjectives("expensive dirty complicated"),
        adjectives("useful precious"),
    ),
    Situation(verbs.CLEAN, places.ROOMS, adjectives("dark dangerous"), adjectives("dirty")),
    Situation(verbs.WEAR, things.CLOTHES, adjectives("dirty short long"), adjectives("elegant practical")),
    Situation(verbs.VISIT, places.SIGHTS, adjectives("noisy dangerous"), adjectives("clean bright")),
)
