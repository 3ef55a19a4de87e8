"""Verbs with who does them and to what, so that drinks are drunk and letters are read."""

from dataclasses import dataclass
from typing import Literal, get_args

from polyhead.demo.grammar.lexicon import TABLES
from polyhead.demo.grammar.lexicon.nouns import some_nouns
from polyhead.demo.grammar.lexicon.places import some_places
from polyhead.demo.grammar.tables import one_of, read, spelling, yes
from polyhead.demo.grammar.words import Noun, Place, Verb

Agent = Literal["person", "animal", "both"]


@dataclass(frozen=True)
class Doing:
    """An intransitive verb: who does it, where."""

    verb: Verb
    agent: Agent
    places: tuple[Place, ...] = ()
    with_manner: bool = False


@dataclass(frozen=True)
class Dealing:
    """A transitive verb: who does it, to which nouns; `persons` allows pronouns, names and people as its object."""

    verb: Verb
    objects: tuple[Noun, ...] = ()
    agent: Agent = "person"
    persons: bool = False
    with_manner: bool = False
    places: tuple[Place, ...] = ()


VERBS = read(TABLES / "verbs.tsv", Verb, en=spelling, ko_adjectival=yes, stative=yes, generic=yes)
_verb = one_of(VERBS)
_agent = one_of({agent: agent for agent in get_args(Agent)})


def _dealings(table: str) -> tuple[Dealing, ...]:
    found = read(
        TABLES / table,
        Dealing,
        verb=_verb,
        objects=some_nouns,
        agent=_agent,
        persons=yes,
        with_manner=yes,
        places=some_places,
    )
    return tuple(found.values())


DOINGS = tuple(
    read(TABLES / "doings.tsv", Doing, verb=_verb, agent=_agent, places=some_places, with_manner=yes).values()
)
DEALINGS = _dealings("dealings.tsv")
GIVINGS = _dealings("givings.tsv")
