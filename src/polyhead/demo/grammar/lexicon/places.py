"""Places to be in, and where something is as seen from another thing."""

from polyhead.demo.grammar.lexicon import TABLES
from polyhead.demo.grammar.lexicon.nouns import NOUNS
from polyhead.demo.grammar.tables import one_of, read, read_groups, some_of
from polyhead.demo.grammar.words import Place, Position

PLACES = read(TABLES / "places.tsv", Place, noun=one_of(NOUNS))
GROUPS = read_groups(TABLES / "place_groups.tsv", PLACES)
some_places = some_of(PLACES, GROUPS)
"""The meaning of cells that list places."""

POSITIONS = tuple(read(TABLES / "positions.tsv", Position).values())
