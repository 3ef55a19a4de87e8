"""Translations as values, and the joining of those whose source was too long for the model to take in one piece."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polyhead.translating.alignment import Alignment

Span = tuple[int, int]
"""(start, end) in characters."""


@dataclass(frozen=True)
class Sentence:
    """A part of a text that went through the model as one sentence."""

    source: Span
    """Its place in the source text."""
    target: Span
    """Its place in the translation."""
    tokens: int
    """How many of the translation's tokens are its own."""
    finished: bool
    """Whether its log-probabilities are one more than its tokens: the last is that of `<eos>`."""


@dataclass(frozen=True)
class Translation:
    """One translated text."""

    text: str
    score: float
    """The search's normalised score; for a text translated in several pieces, their mean."""
    log_probability: float
    """log P(target | source) in nats, `<eos>` included."""
    tokens: tuple[str, ...]
    token_log_probabilities: tuple[float, ...]
    alternatives: tuple["Translation", ...] = ()
    """The n-best list, this translation first, where more than one was asked for."""
    alignment: Alignment | None = None
    """Which source word each word was read from, where that was asked for."""
    sentences: tuple[Sentence, ...] = ()
    """The parts that it was translated in, in order."""


@dataclass(frozen=True)
class Piece:
    """A part of an input text that goes through the model as one sentence."""

    text: int
    """The number of the input text it belongs to."""
    content: str
    space: str
    """The white space after it in the input."""
    first_word: int
    """The number of its first word in the input text."""
    tokens: list[int]
    """What the model reads: a language tag, where it has tags, and the piece's tokens."""
    prefix: list[int]
    """What its translation must begin with."""
    start: int
    """Where it begins in the input text."""


def first_word(text: str, start: int) -> int:
    """How many words of `text` have ended before `start`: the number of the word that stands or begins there."""
    words = len(text[:start].split())
    inside = 0 < start < len(text) and not text[start - 1].isspace() and not text[start].isspace()
    return words - inside


def join(pieces: Sequence[Piece], translations: Sequence[Sequence[Translation]]) -> Translation:
    """A text's pieces, one at least, and the n-best list of each → the text's translation, with its own n-best list.

    Pieces have no words in common, so the best whole is made of the best parts, the second of the second ones.
    """
    ranks = min(len(ranked) for ranked in translations)
    nbest = [_concatenate(pieces, [ranked[rank] for ranked in translations]) for rank in range(ranks)]
    return replace(nbest[0], alternatives=tuple(nbest)) if len(nbest) > 1 else nbest[0]


def _concatenate(pieces: Sequence[Piece], parts: Sequence[Translation]) -> Translation:
    """Joined by the white space that stood between the pieces; by a space where there was none."""
    if len(parts) == 1:
        return replace(parts[0], sentences=(_sentence(pieces[0], parts[0], (0, len(parts[0].text))),))
    text = ""
    alignment: list[tuple[int, int]] = []
    sentences: list[Sentence] = []
    for piece, part in zip(pieces, parts, strict=True):
        written = len(text.split())
        alignment += [(i + piece.first_word, j + written) for i, j in part.alignment or ()]
        content = part.text.strip()
        sentences.append(_sentence(piece, part, (len(text), len(text) + len(content))))
        text += content + (piece.space or " ")
    return Translation(
        text.rstrip(),
        sum(part.score for part in parts) / len(parts),
        sum(part.log_probability for part in parts),
        tuple(token for part in parts for token in part.tokens),
        tuple(value for part in parts for value in part.token_log_probabilities),
        alignment=tuple(alignment) if parts[0].alignment is not None else None,
        sentences=tuple(sentences),
    )


def _sentence(piece: Piece, part: Translation, place: Span) -> Sentence:
    finished = len(part.token_log_probabilities) > len(part.tokens)
    return Sentence((piece.start, piece.start + len(piece.content)), place, len(part.tokens), finished)
