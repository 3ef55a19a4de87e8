"""Translations as values, and how those of a text's sentences become the translation of the text."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from polyhead.decoding.hypothesis import Hypothesis
from polyhead.inline.codes import Code, Marked
from polyhead.inline.kept import Taken, put_in
from polyhead.inline.parts import share
from polyhead.text import UNSPACED, Span, words
from polyhead.tokenizers.casing import Case
from polyhead.tokenizers.protocol import Tokenizer
from polyhead.translating.alignment import Alignment
from polyhead.translating.signs import without_second_end


@dataclass(frozen=True)
class Sentence:
    """A part of a text that went through the model as one sentence."""

    source: Span
    """The sentence's place in the source text."""
    target: Span
    """The sentence's place in the translation."""
    tokens: int
    """How many of the translation's tokens belong to this sentence."""
    finished: bool
    """Whether the sentence has one log-probability more than it has tokens: the last is that of `<eos>`."""


@dataclass(frozen=True)
class Translation:
    """One translated text."""

    text: str
    score: float
    """What hypotheses are ranked by: `log_probability` divided by the length penalty of the search, or, of a given
    translation, of the model's own search; for a text translated in several pieces, the mean of their scores."""
    log_probability: float
    """log P(target | source) in nats, `<eos>` included."""
    tokens: tuple[str, ...]
    token_log_probabilities: tuple[float, ...]
    alternatives: tuple["Translation", ...] = ()
    """The n-best list, this translation first, where more than one was asked for."""
    alignment: Alignment | None = None
    """Which source word each word of the translation was read from; None unless asked for."""
    sentences: tuple[Sentence, ...] = ()
    """The parts in which the text was translated, in order."""
    codes: tuple[Code, ...] = ()
    """The inline codes of the source text, at their places in the translation."""
    problems: tuple[str, ...] = ()
    """What whoever uses the translation should look at, a sentence each."""

    @property
    def marked(self) -> Marked:
        """The text with its inline codes."""
        return Marked(self.text, self.codes)


def translations_of(found: Sequence[Sequence[Hypothesis]], tokenizer: Tokenizer) -> list[list[Translation]]:
    """What a search found for each piece, as text; tokenizer: the target's."""
    texts = iter(tokenizer.decode_many([each.tokens for hypotheses in found for each in hypotheses]))
    return [
        [
            Translation(
                next(texts),
                each.score,
                each.log_probability,
                tuple(tokenizer.pieces(each.tokens)),
                each.token_log_probabilities,
            )
            for each in hypotheses
        ]
        for hypotheses in found
    ]


@dataclass(frozen=True)
class Piece:
    """A part of an input text that goes through the model as one sentence."""

    text: int
    """The number of the input text it belongs to."""
    place: Span
    """Where it stands in the input text, without white space around it."""
    content: str
    """What the model reads: what stands there, without the codes that were taken out."""
    tokens: list[int]
    """The token ids that the model reads: a language tag, where the model has tags, and those of the content."""
    prefix: list[int]
    """The tokens that the translation must begin with."""
    codes: tuple[Code, ...] = ()
    """The inline codes within the piece, with places in its content; the model reads a text of each, or nothing."""
    case: Case | None = None
    """The casing that the translation gets, where the model reads the piece in another casing."""
    taken: tuple[Taken, ...] = ()
    """What stood in the place of each of the codes, where they were taken out."""


def join_all(
    texts: Sequence[Marked], pieces: Sequence[Piece], translations: Sequence[Sequence[Translation]]
) -> list[Translation]:
    """Texts, the pieces of all, and the n-best list of each piece → the texts' translations."""
    return [
        join(text, [pieces[i] for i in numbers], [translations[i] for i in numbers])
        for text, numbers in zip(texts, by_text(pieces, len(texts)), strict=True)
    ]


def by_text(pieces: Sequence[Piece], texts: int) -> list[list[int]]:
    """The numbers of the pieces of each text."""
    found: list[list[int]] = [[] for _ in range(texts)]
    for number, piece in enumerate(pieces):
        found[piece.text].append(number)
    return found


def join(text: Marked, pieces: Sequence[Piece], translations: Sequence[Sequence[Translation]]) -> Translation:
    """A text, its pieces in order, and the n-best list of each → the text's translation, with its own n-best list.

    What stands between, before and behind the pieces stays as it is; a text without pieces is its own translation.
    Pieces have no words in common, so the best whole is made of the best parts, the second best of the second best.
    """
    ranks = min((len(ranked) for ranked in translations), default=1)
    nbest = [_concatenate(text, pieces, [ranked[rank] for ranked in translations]) for rank in range(ranks)]
    return replace(nbest[0], alternatives=tuple(nbest)) if len(nbest) > 1 else nbest[0]


def with_taken(translation: Translation, taken: Sequence[Taken]) -> Translation:
    """The translation of a text that codes were taken out of, and each of its n-best list, with these codes."""
    marked = put_in(translation.marked, taken)
    others = tuple(with_taken(each, taken) for each in translation.alternatives)
    return replace(translation, text=marked.text, codes=marked.codes, alternatives=others)


def _concatenate(source: Marked, pieces: Sequence[Piece], parts: Sequence[Translation]) -> Translation:
    text = source.text
    is_whole = not source.codes and [piece.place for piece in pieces] == [(0, len(text))]
    if is_whole and (only := parts[0]).text == only.text.strip():  # as most texts are, in half of the time
        return replace(only, sentences=(_sentence(pieces[0], only, (0, len(only.text))),))
    written: list[str] = []
    places: list[Span] = []
    codes: list[Code] = []
    outside = share(source.codes, [piece.place for piece in pieces]).between
    end = length = 0
    for piece, part, before in zip(pieces, parts, outside, strict=False):
        codes += [code.moved(length - end) for code in before]
        content = part.text.strip()
        if not part.codes:
            content = without_second_end(content, text, piece.place[1])
        between = text[end : piece.place[0]]
        if not between and written:
            between = _space_between(text[end - 1], written[-1], content)
        places.append((length + len(between), length + len(between) + len(content)))
        skipped = len(part.text) - len(part.text.lstrip())
        codes += [code.moved(places[-1][0] - skipped) for code in part.codes]
        written += [between, content]
        end, length = piece.place[1], places[-1][1]
    codes += [code.moved(length - end) for code in outside[len(pieces)]]
    whole = "".join([*written, text[end:]])
    aligned = all(part.alignment is not None for part in parts)
    return Translation(
        whole,
        sum(part.score for part in parts) / max(1, len(parts)),
        sum(part.log_probability for part in parts),
        tuple(chain.from_iterable(part.tokens for part in parts)),
        tuple(chain.from_iterable(part.token_log_probabilities for part in parts)),
        alignment=_alignment(text, whole, pieces, parts, places) if parts and aligned else None,
        sentences=tuple(map(_sentence, pieces, parts, places)),
        codes=tuple(codes),
        problems=tuple(chain.from_iterable(part.problems for part in parts)),
    )


def _space_between(end: str, before: str, after: str) -> str:
    """What to put between the translations of sentences without a space between: one, if only the target has spaces.

    end: the first source sentence's last character; unless it is of a script without spaces, a word was cut in two
    """
    unspaced = UNSPACED.match(before[-1:]) or UNSPACED.match(after[:1])
    return " " if UNSPACED.match(end) and not unspaced else ""


def _alignment(
    text: str, whole: str, pieces: Sequence[Piece], parts: Sequence[Translation], places: Sequence[Span]
) -> Alignment:
    """The parts' alignments in the numbers that words have in the text and in its translation."""
    sources, targets = ([end for _, end in words(each)] for each in (text, whole))
    return tuple(
        (i + bisect_right(sources, piece.place[0]), j + bisect_right(targets, start))
        for piece, part, (start, _) in zip(pieces, parts, places, strict=True)
        for i, j in part.alignment or ()
    )


def _sentence(piece: Piece, part: Translation, place: Span) -> Sentence:
    finished = len(part.token_log_probabilities) > len(part.tokens)
    return Sentence(piece.place, place, len(part.tokens), finished)
