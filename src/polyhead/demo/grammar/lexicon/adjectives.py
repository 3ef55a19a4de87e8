"""Adjectives, and which nouns each can be said of."""

from dataclasses import dataclass

from polyhead.demo.grammar.lexicon import TABLES
from polyhead.demo.grammar.lexicon.nouns import some_nouns
from polyhead.demo.grammar.tables import read, read_groups, some_of, yes
from polyhead.demo.grammar.words import Adjective, Noun

ADJECTIVES = read(TABLES / "adjectives.tsv", Adjective, fr_precedes=yes, fr_avoir=yes)
GROUPS = read_groups(TABLES / "adjective_groups.tsv", ADJECTIVES)
some_adjectives = some_of(ADJECTIVES, GROUPS)
"""The meaning of cells that list adjectives."""

_ONLY_BEFORE_NOUNS = frozenset({"new", "old"})


@dataclass(frozen=True)
class _Attributes:
    """Adjectives that can be said of nouns."""

    nouns: tuple[Noun, ...]
    adjectives: tuple[Adjective, ...]


_SAID = read(TABLES / "attributes.tsv", _Attributes, nouns=some_nouns, adjectives=some_adjectives)


def attributes_of(noun: Noun) -> tuple[Adjective, ...]:
    """Return the adjectives that may stand beside a noun; idioms such as « avoir faim » can't."""
    return tuple(adjective for adjective in _said_of(noun) if not adjective.fr_avoir)


def qualities_of(noun: Noun) -> tuple[Adjective, ...]:
    """Return the adjectives that can be the predicate of a noun."""
    if noun.being == "person":
        return GROUPS["people"]
    if noun.being == "animal":
        return GROUPS["animals"]
    return tuple(adjective for adjective in _said_of(noun) if adjective.en not in _ONLY_BEFORE_NOUNS)


def _said_of(noun: Noun) -> tuple[Adjective, ...]:
    return next((said.adjectives for said in _SAID.values() if noun in said.nouns), ())
