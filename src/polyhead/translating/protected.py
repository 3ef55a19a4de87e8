"""Pieces whose translations have to contain something: inline codes, addresses, numbers.

A piece is translated as it is. Where its translation hasn't got the codes that the model read, these are taken out and
the rest is translated anew. Codes of which the model read nothing, those now included, are placed by what the model
looked at. A number that has become another one is put right.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polyhead.bundle.bundle import Bundle
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.inline.codes import Code, Marked
from polyhead.inline.copies import differing_numbers, has_numbers, numbers
from polyhead.inline.kept import places_of, put_in, take_out
from polyhead.inline.placing import Span, place, units
from polyhead.tokenizers.casing import Case, as_it_was
from polyhead.translating.alignment import unit_weights
from polyhead.translating.piece_alignment import Attending, Floats, attended, tokens_of
from polyhead.translating.pieces import with_copies
from polyhead.translating.signs import ENDS
from polyhead.translating.translation import Piece, Translation, translations_of

IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
Found = list[list[Hypothesis]]
"""The hypotheses of each piece, best first."""
Ranked = list[list[Translation]]
"""The translations of each piece, best first."""


@dataclass(frozen=True)
class Protection:
    """What is needed to translate pieces so that their translations contain what they have to."""

    bundle: Bundle
    search: Callable[[Sequence[Piece]], Found]
    attending: Attending | None
    """What gives attention weights; without attention None: codes are placed by their distance from the start."""

    def run(self, given: Sequence[Piece]) -> tuple[list[Piece], Found, Ranked]:
        """Pieces → the pieces that were searched in the end, their hypotheses, and the translations made of these."""
        pieces, found = list(given), self.search(given)
        ranked = self._translations(found)
        lost = {i: self._without(piece, ranked[i]) for i, piece in enumerate(pieces)}
        again = {i: piece for i, piece in lost.items() if piece is not None}
        anew = self.search(list(again.values())) if again else []
        for i, hypotheses, translations in zip(again, anew, self._translations(anew), strict=True):
            pieces[i], found[i], ranked[i] = again[i], hypotheses, translations
        looked = self._looked(pieces, found)
        for i, piece in enumerate(pieces):
            if piece.codes:
                ranked[i] = [
                    self._with_codes(piece, *each)
                    for each in zip(found[i], ranked[i], looked.get(i, [None] * len(ranked[i])), strict=True)
                ]
            ranked[i] = [self._finished(given[i], each) for each in ranked[i]]
        return pieces, found, ranked

    def _translations(self, found: Found) -> Ranked:
        return translations_of(found, self.bundle.target_tokenizer)

    def _finished(self, piece: Piece, translation: Translation) -> Translation:
        """The translation of a piece, as it stands in its text, with its numbers, its end and its casing."""
        ended = _ended(piece.content, _with_numbers(piece.content, translation))
        return _without_copies(_cased(piece.case, ended if not piece.prefix else translation))

    def _without(self, piece: Piece, ranked: Sequence[Translation]) -> Piece | None:
        """The piece without what its translations lack; None where they lack nothing."""
        if piece.prefix or not (piece.codes or has_numbers(piece.content)):
            return None
        read = [piece.content[code.start : code.end] for code in piece.codes if code.start < code.end]
        lacks_codes = bool(read) and any(places_of(read, each.text) is None for each in ranked)
        missing, extra = differing_numbers(piece.content, ranked[0].text)
        lost = numbers(piece.content) if lacks_codes else [] if len(missing) == len(extra) else missing
        if not lacks_codes and not lost:
            return None
        rest, taken = take_out(Marked(piece.content, tuple(with_copies(piece.codes, lost, piece.content))))
        tag = piece.tokens[: len(piece.tokens) - len(self.bundle.source_tokenizer.encode(piece.content))]
        tokens = [*tag, *self.bundle.source_tokenizer.encode(rest.text)]
        return replace(piece, content=rest.text, tokens=tokens, codes=rest.codes, taken=tuple(taken))

    def _looked(self, pieces: Sequence[Piece], found: Found) -> dict[int, list[Floats]]:
        """The attention weights of each hypothesis, for the pieces that have codes of which the model read nothing."""
        placed = [i for i, piece in enumerate(pieces) if any(code.start == code.end for code in piece.codes)]
        if self.attending is None or not placed:
            return {}
        repeated = [pieces[i] for i in placed for _ in found[i]]
        weights = iter(attended(self.attending, repeated, [each.tokens for i in placed for each in found[i]]))
        return {i: [next(weights) for _ in found[i]] for i in placed}

    def _with_codes(
        self, piece: Piece, hypothesis: Hypothesis, translation: Translation, looked: Floats | None
    ) -> Translation:
        """The translation with the piece's codes."""
        if translation.text == piece.content and not piece.taken:
            return replace(translation, codes=piece.codes)
        read = [code for code in piece.codes if code.start < code.end]
        spans = places_of([piece.content[code.start : code.end] for code in read], translation.text)
        if spans is None:  # its beginning was given, so it was not translated anew
            return replace(translation, problems=("a part that must not be translated is missing or stands twice",))
        shape = len(units(translation.text)), len(units(piece.content))
        weights = np.zeros(shape, np.float32)
        if looked is not None:
            tokens = tokens_of(self.bundle, piece, hypothesis.tokens, looked)
            weights = unit_weights(*tokens, piece.content, translation.text)
        kept = [replace(code, start=start, end=end) for code, (start, end) in zip(read, spans, strict=True)]
        for code, here in zip(read, kept, strict=True):
            _tie(weights, (units(translation.text), here), (units(piece.content), code))
        others = tuple(code for code in piece.codes if code.start == code.end)
        marked = _merged(place(Marked(piece.content, others), translation.text, weights), kept)
        if piece.taken:
            marked = put_in(_with_right_numbers(piece.content, marked)[0], piece.taken)
        return replace(translation, text=marked.text, codes=marked.codes)


def _tie(weights: Floats, written: tuple[list[Span], Code], read: tuple[list[Span], Code]) -> None:
    """Makes the weights say that what a translation has of a code was read from that code alone."""
    rows, columns = (
        [number for number, (start, end) in enumerate(spans) if start < code.end and code.start < end]
        for spans, code in (written, read)
    )
    weights[:, columns] = 0
    weights[rows] = 0
    if rows and columns:
        weights[np.ix_(rows, columns)] = 1 / len(columns)


def _merged(placed: Marked, kept: Sequence[Code]) -> Marked:
    """A translation with the codes placed in it and the codes kept in its text, none of them within another."""
    codes: list[Code] = []
    for code in placed.codes:
        around = next((each for each in kept if each.start < code.start < each.end), None)
        if around is not None:
            nearer = around.start if code.start - around.start < around.end - code.start else around.end
            code = replace(code, start=nearer, end=nearer)
        codes.append(code)
    return Marked(placed.text, tuple(sorted([*codes, *kept], key=lambda code: (code.start, code.end))))


def _cased(case: Case | None, translation: Translation) -> Translation:
    """The translation in the casing of its source, its codes as they are."""
    if case is None:
        return translation
    text, codes = "", list[Code]()
    for part in translation.marked.parts():
        if isinstance(part, Code):
            read = translation.text[part.start : part.end]
            codes.append(replace(part, start=len(text), end=len(text) + len(read)))
            text += read
        else:
            text += as_it_was(part, case)
    return replace(translation, text=text, codes=tuple(codes))


def _ended(source: str, translation: Translation) -> Translation:
    """The translation with the sign that its source ends with, if it ends with none: some training texts have none."""
    sign, text = source[-1:], translation.text
    if sign not in ENDS or not text[-1:].isalnum():
        return translation
    return replace(translation, text=f"{text}{ENDS[sign] if IDEOGRAPH.match(text[-1]) else sign}")


def _without_copies(translation: Translation) -> Translation:
    if not translation.codes:
        return translation
    return replace(translation, codes=tuple(code for code in translation.codes if code.role != "copy"))


def _with_numbers(source: str, translation: Translation) -> Translation:
    """The translation with the numbers of its source, and a problem for each number that is missing."""
    if not has_numbers(source):
        return translation
    marked, missing = _with_right_numbers(source, translation.marked)
    problems = (f"the number {number} is missing" for number in missing)
    return replace(translation, text=marked.text, codes=marked.codes, problems=(*translation.problems, *problems))


def _with_right_numbers(source: str, translation: Marked) -> tuple[Marked, list[str]]:
    """The translation with its wrong numbers replaced, if as many are missing, and the numbers still missing."""
    missing, extra = differing_numbers(source, translation.text)
    if len(missing) != len(extra) or any(code.is_within(*span) for span in extra for code in translation.codes):
        return translation, [source[slice(*span)] for span in missing]
    text = translation.text
    codes: tuple[Code, ...] = translation.codes
    for ours, (start, end) in reversed(list(zip(missing, extra, strict=True))):
        number = source[slice(*ours)]
        text = f"{text[:start]}{number}{text[end:]}"
        longer = start + len(number) - end
        codes = tuple(code.moved(longer) if code.start >= end else code for code in codes)
    return Marked(text, codes), []
