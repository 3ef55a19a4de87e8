"""Adverbials: when, how often and how something is done."""

from polyhead.demo.grammar.clauses import Tense
from polyhead.demo.grammar.lexicon import TABLES
from polyhead.demo.grammar.tables import read, read_groups
from polyhead.demo.grammar.words import Phrase

_GROUPS = read_groups(TABLES / "adverbial_groups.tsv", read(TABLES / "adverbials.tsv", Phrase))

TIMES: dict[Tense, tuple[Phrase, ...]] = {
    "past": _GROUPS["past"],
    "present": _GROUPS["present"],
    "future": _GROUPS["future"],
}
FREQUENCIES = _GROUPS["frequency"]
MANNERS = _GROUPS["manner"]
