"""Wholes and their parts, for sentences in which "its" has to be resolved: the Law and its application."""

from dataclasses import dataclass

from polyhead.demo.grammar.lexicon import TABLES
from polyhead.demo.grammar.lexicon.adjectives import some_adjectives
from polyhead.demo.grammar.lexicon.nouns import NOUNS
from polyhead.demo.grammar.tables import one_of, read, some_of, yes
from polyhead.demo.grammar.words import Adjective, Noun


@dataclass(frozen=True)
class Part:
    """A part or an aspect of a whole, and what can be said of it."""

    noun: Noun
    qualities: tuple[Adjective, ...]
    is_plural: bool = False


@dataclass(frozen=True)
class Whole:
    """A thing, what can be said of it, and its parts."""

    noun: Noun
    qualities: tuple[Adjective, ...]
    parts: tuple[Part, ...]


_PARTS = read(TABLES / "parts.tsv", Part, noun=one_of(NOUNS), qualities=some_adjectives, is_plural=yes)
WHOLES = tuple(
    read(TABLES / "wholes.tsv", Whole, noun=one_of(NOUNS), qualities=some_adjectives, parts=some_of(_PARTS)).values()
)
