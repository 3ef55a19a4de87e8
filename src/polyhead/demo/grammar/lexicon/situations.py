"""What "it" can be in a because-clause: the adjective tells whether the subject or the object is meant.

Whoever acts is tired, hungry, afraid; what is acted on is wide, heavy, expensive. No adjective is in both lists.
"""

from dataclasses import dataclass

from polyhead.demo.grammar.lexicon import TABLES
from polyhead.demo.grammar.lexicon.adjectives import GROUPS, some_adjectives
from polyhead.demo.grammar.lexicon.nouns import some_nouns
from polyhead.demo.grammar.lexicon.verbs import VERBS
from polyhead.demo.grammar.tables import one_of, read
from polyhead.demo.grammar.words import Adjective, Noun, Verb


@dataclass(frozen=True)
class Situation:
    """Something done to one of several objects, and the adjectives of either side that explain why or why not."""

    verb: Verb
    objects: tuple[Noun, ...]
    object_hinders: tuple[Adjective, ...]
    object_attracts: tuple[Adjective, ...]
    subject_hindered: tuple[Adjective, ...] = GROUPS["hindered"]
    subject_driven: tuple[Adjective, ...] = GROUPS["driven"]


def _situations(table: str) -> tuple[Situation, ...]:
    found = read(
        TABLES / table,
        Situation,
        key=2,
        verb=one_of(VERBS),
        objects=some_nouns,
        object_hinders=some_adjectives,
        object_attracts=some_adjectives,
        subject_hindered=some_adjectives,
        subject_driven=some_adjectives,
    )
    return tuple(found.values())


OF_ANIMALS = _situations("situations_of_animals.tsv")
OF_PEOPLE = OF_ANIMALS + _situations("situations_of_people.tsv")
