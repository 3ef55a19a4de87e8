"""Nouns, by what one does with them, and first names."""

from typing import get_args

from polyhead.demo.grammar.lexicon import TABLES
from polyhead.demo.grammar.tables import one_of, read, read_groups, some_of, spelling, yes
from polyhead.demo.grammar.words import Being, Gender, Name, Noun

_gender = one_of({gender: gender for gender in get_args(Gender)})
_being = one_of({being: being for being in get_args(Being)})

NOUNS = read(TABLES / "nouns.tsv", Noun, en=spelling, gender=_gender, being=_being, mass=yes, kin=yes)
GROUPS = read_groups(TABLES / "noun_groups.tsv", NOUNS)
some_nouns = some_of(NOUNS, GROUPS)
"""The meaning of cells that list nouns."""
NAMES = tuple(read(TABLES / "names.tsv", Name, gender=_gender).values())
