"""Which of the served languages a text is in.

The models know only the languages they read, so these are the candidates. Among several, that one is the likeliest
whose vocabulary writes the text in the fewest tokens: a vocabulary is a code for its language, and a text is short in
its own language's code (Benedetto et al. 2002 tell languages apart by compression in the same way).
"""

import math
from collections.abc import Sequence

from pydantic import BaseModel

from polyhead.server.directions import sources
from polyhead.server.pool import ModelDirectory

_EVIDENCE = 1_000
"""So many characters say all that a text can say: more would only cost time."""


class Detected(BaseModel):
    """A language and how sure it is among those served, in percent."""

    confidence: float
    language: str


def detect(models: Sequence[ModelDirectory], text: str) -> list[Detected]:
    """The languages that the models read, the likeliest first; a blank text could be any."""
    languages = sources(models)
    text = text.strip()[:_EVIDENCE]
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
