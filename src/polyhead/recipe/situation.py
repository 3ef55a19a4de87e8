"""What the rules for a recipe decide by: the recipe so far, the corpus, and the machine."""

from dataclasses import dataclass
from typing import Any

from polyhead.data.statistics import CorpusStatistics
from polyhead.errors import counted
from polyhead.recipe.load import NONE, Values, given, look_up

USUAL_WORDS = 2.3, 0.65
"""k, β: a text with fewer different words than k · tokens^β has few words and regular sentences. Their number grows as
a power of the text's length (Heaps' law); natural text has 3 to 9 times tokens^0.65 of them, the demo's grammar 1."""

MANY_WORDS = 27_500
"""Different words from which wider vectors learn more: the small model is better then, and with fewer the tiny one."""


@dataclass(frozen=True)
class Situation:
    """What a rule decides by."""

    values: Values
    """The recipe as far as it is given and decided."""
    corpus: CorpusStatistics
    device: str
    threads: int
    """CPU threads."""
    possible: int | None = None
    """How many updates there is time for; None: any number."""
    begun: Values | None = None
    """The record of a run to go on with."""
    processes: int = 1
    """How many processes train together, each with `threads` threads and a part of every batch."""

    def get(self, key: str, otherwise: Any) -> Any:
        """The value of a key, or `otherwise` where the recipe leaves it open."""
        keys = key.split(".")
        return look_up(self.values, keys) if given(self.values, keys) else otherwise

    def number(self, key: str, otherwise: float) -> float:
        """The number of a key, which may be given as text, or `otherwise` where it is left open or is "none"."""
        value = self.get(key, NONE)
        return otherwise if value in (None, NONE) else float(value)

    def has(self, key: str) -> bool:
        """Whether a key is decided."""
        return given(self.values, key.split("."))

    @property
    def kind(self) -> str:
        """The kind of the model."""
        return str(self.get("model.kind", "transformer"))

    @property
    def is_regular(self) -> bool:
        """Whether the text has few words, each of which is seen often."""
        factor, power = USUAL_WORDS
        return self.corpus.word_types < factor * self.corpus.tokens_looked_at**power

    @property
    def has_many_words(self) -> bool:
        """Whether there are so many different words that wide vectors are worth it."""
        return self.corpus.word_types >= MANY_WORDS

    @property
    def described(self) -> str:
        """The corpus in words."""
        few = "few different words" if self.is_regular else counted(self.corpus.word_types, "different word")
        return f"{counted(self.corpus.pairs, 'pair')}, {few}"

    @property
    def updates(self) -> int:
        """How many updates there will be, as far as can be told."""
        most = int(self.number("training.max_updates", 1))
        return most if self.possible is None else min(most, self.possible)

    @property
    def batch(self) -> int:
        """Tokens of an update, source and target together."""
        accumulated = int(self.number("training.optimizer.accumulation", 1))
        return int(self.number("data.batching.max_tokens", 8192)) * accumulated
