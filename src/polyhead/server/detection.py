"""Which of the served languages a text is in.

Each model has the n-grams of the languages that it was trained on (`ngrams`). A text that looks like none of these
languages is unknown: the confidence is 0 for each of them. The languages that the models write are compared too, so
that a text in one of these is not taken for one that they read.

Models of older versions have no n-grams. Where one of them takes part, that language is the likeliest whose vocabulary
writes the text in the fewest tokens: a vocabulary is a code for its language, and a text is short in its own language's
code (Benedetto et al. 2002 tell languages apart by compression in the same way). Then no text is unknown.
"""

import math
from collections.abc import Sequence

from pydantic import BaseModel

from polyhead.ngrams import Comparison, Profile
from polyhead.server.directions import sources
from polyhead.server.pool import ModelDirectory

EVIDENCE = 1_000
"""How many characters of a text are looked at. More would only cost time."""


UNDETERMINED = "und"
"""The code that ISO 639-2 has for a language that is not known."""


class Detected(BaseModel):
    """A language and how sure it is, in percent: 0 where the text is in none of the languages served."""

    confidence: float
    language: str


class Detector:
    """Tells which language a text is in, for the models of one server."""

    def __init__(self, models: Sequence[ModelDirectory]) -> None:
        """Reads the n-grams of the models' languages. Raises ModelError where their file is damaged."""
        profiles: dict[str, Profile] = {}
        for model in models:
            for language, profile in model.profiles.items():
                profiles.setdefault(language, profile)  # several models may know it; the first is as good
        self._comparison = Comparison(profiles)

    def detect(self, models: Sequence[ModelDirectory], text: str) -> list[Detected]:
        """The languages that these models read, the likeliest first; `UNDETERMINED` where no model knows any."""
        languages, text = sources(models), text.strip()[:EVIDENCE]
        if not languages:
            return [Detected(confidence=0, language=UNDETERMINED)]
        if not set(languages) <= set(self._comparison.languages):
            return _by_tokens(models, languages, text)
        ranked = self._comparison.ranked(text)
        return [Detected(confidence=100 * ranked[each], language=each) for each in ranked if each in languages]


def _by_tokens(models: Sequence[ModelDirectory], languages: Sequence[str], text: str) -> list[Detected]:
    if len(languages) < 2 or not text:
        return [Detected(confidence=100.0 / len(languages), language=language) for language in languages]
    costs = {language: _tokens(models, language, text) for language in languages}
    least = min(costs.values())
    weights = {language: math.exp(least - cost) for language, cost in costs.items()}
    total = sum(weights.values())
    found = [Detected(confidence=100 * weight / total, language=language) for language, weight in weights.items()]
    return sorted(found, key=lambda each: -each.confidence)


def _tokens(models: Sequence[ModelDirectory], language: str, text: str) -> int:
    """The fewest tokens that a model which reads the language needs for the text."""
    readers = [model for model in models if language in model.config.source_languages]
    return min(len(model.tokenizers[0].encode(text)) for model in readers)
