"""Translations in answers: with scores, tokens and the places of their sentences."""

from itertools import islice
from typing import Any

from pydantic import BaseModel
from typing_extensions import TypedDict

from polyhead.symbols import EOS_PIECE
from polyhead.translating.translation import Translation


class ScoredToken(TypedDict):
    """A token of a translation and log P(token | what is before it), in nats."""

    piece: str
    logp: float


class Sentence(TypedDict):
    """What went through the model as one sentence: (start, end) in the text and in its translation."""

    source: tuple[int, int]
    target: tuple[int, int]


class RankedTranslation(BaseModel):
    """A translation. In its tokens every sentence that was finished ends in `<eos>`."""

    text: str
    score: float
    log_probability: float
    tokens: list[ScoredToken]
    sentences: list[Sentence]


class BestTranslation(RankedTranslation):
    """The best translation of a text."""

    alternatives: list[RankedTranslation]
    """The n-best list, this translation first; empty unless more than one was asked for."""


def best(translation: Translation) -> BestTranslation:
    """A translation with its n-best list."""
    return BestTranslation(**_fields(translation), alternatives=[ranked(each) for each in translation.alternatives])


def ranked(translation: Translation) -> RankedTranslation:
    """A translation as clients read it."""
    return RankedTranslation(**_fields(translation))


def _fields(translation: Translation) -> dict[str, Any]:
    return {
        "text": translation.text,
        "score": translation.score,
        "log_probability": translation.log_probability,
        "tokens": _scored_tokens(translation),
        "sentences": [Sentence(source=each.source, target=each.target) for each in translation.sentences],
    }


def _scored_tokens(translation: Translation) -> list[ScoredToken]:
    """The tokens with their log-probabilities, with `<eos>` after each sentence that was finished."""
    tokens = iter(translation.tokens)
    pieces: list[str] = []
    for sentence in translation.sentences:
        pieces += [*islice(tokens, sentence.tokens), *[EOS_PIECE] * sentence.finished]
    pairs = zip(pieces, translation.token_log_probabilities, strict=True)
    return [ScoredToken(piece=piece, logp=logp) for piece, logp in pairs]
