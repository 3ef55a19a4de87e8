"""From texts to what a model reads at a time: sentences, tagged, tokenized, and cut where they are too long for it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from polyhead.bundle.bundle import Bundle
from polyhead.errors import PolyheadError, counted
from polyhead.inline.codes import Code, Marked
from polyhead.inline.copies import addresses
from polyhead.inline.kept import Taken, take_out
from polyhead.inline.parts import is_cut, share
from polyhead.sentences import sentences
from polyhead.text import pieces_within
from polyhead.tokenizers.casing import Case, case_of, usual
from polyhead.tokenizers.protocol import Tokenizer
from polyhead.translating.signs import without_unknown_signs
from polyhead.translating.source import Limits, language_tag
from polyhead.translating.translation import Piece, Span, by_text

Split = Literal["auto", "sentence", "line"]
"""What of a text a model reads at a time: its sentences or its lines; "auto" is what the model was trained on."""
MIXED = 0.1
"""The share of training texts of several sentences from which on a model reads such texts without cutting."""

_BEFORE = re.compile(r"\A\s*(?:[-–—*•·‣▪◦●○■□➤►▶→>#+|~✓✔✗☐☑]+\s+)*")
"""White space, and what stands before an item of a list, a heading or a quoted line: no part of the sentence."""


def is_split(bundle: Bundle, split: Split) -> bool:
    """Whether lines are cut into sentences for this model."""
    several = bundle.config.several_sentences
    return split == "sentence" or (split == "auto" and (several is None or several < MIXED))


def cut_into_pieces(
    bundle: Bundle,
    texts: Sequence[Marked],
    target_language: str | None,
    prefixes: Sequence[str] | None,
    limits: Limits,
    split: Split = "auto",
) -> Iterator[Piece]:
    """The sentences of the texts as pieces, which may cut codes. What has no letters outside codes is no sentence.

    A text whose translation has a prefix is one sentence. A sentence that is longer than a source may be is cut. A
    single character is read even where it has more tokens than any source in training. Raises ModelError for a language
    that the model doesn't write, PolyheadError for prefixes that don't fit and for a character of more tokens than the
    model has positions.
    """
    tag = language_tag(bundle, target_language)
    encode = bundle.source_tokenizer.encode

    def fits(part: str) -> bool:
        return len(encode(part)) <= room

    room, most = limits.source - len(tag) - 1, limits.target - len(tag) - 1
    given = _encode_prefixes(bundle, texts, prefixes, limits.target)
    language = _language(bundle, target_language)
    by_sentences = is_split(bundle, split)
    units = [
        (number, without_unknown_signs(text.text, span, bundle.source_tokenizer))
        for number, (text, prefix) in enumerate(zip(texts, given, strict=True))
        for span in _spans(_without_codes(text), _parts(text.text, language, by_sentences and not prefix))
    ]
    read = [_in_usual_casing(texts[number], span, bundle.source_tokenizer) for number, span in units]
    encoded = bundle.source_tokenizer.encode_many([unit for unit, _ in read])
    for (number, (start, _)), (unit, case), tokens in zip(units, read, encoded, strict=True):
        spans = [(0, len(unit))] if len(tokens) <= room else _cut(unit, language, fits)
        for begin, stop in spans:
            content = unit[begin:stop]
            ids = tokens if len(spans) == 1 else encode(content)
            if len(ids) > most:
                raise PolyheadError(
                    f"text {number + 1} has a character of {len(ids)} tokens, {content[:1]!r}; the model reads "
                    f"{max(most, 0)} at a time, so leave it out or use a model with a larger max_length"
                )
            yield Piece(number, (start + begin, start + stop), content, [*tag, *ids], given[number], case=case)
            given[number] = []


class Cut(NamedTuple):
    """Texts with inline codes, cut into pieces."""

    pieces: list[Piece]
    texts: list[Marked]
    taken: dict[int, list[Taken]]
    """The number of a text → what was taken out in the place of its codes, before it was cut."""


def cut_with_codes(
    bundle: Bundle,
    texts: Sequence[Marked],
    target_language: str | None,
    prefixes: Sequence[str] | None,
    limits: Limits,
    split: Split = "auto",
) -> Cut:
    """`cut_into_pieces`, each piece with its codes and addresses. Codes that would be cut are taken out of a text."""

    def cut() -> list[Piece]:
        return list(cut_into_pieces(bundle, whole, target_language, prefixes, limits, split))

    whole = list(texts)
    taken: dict[int, list[Taken]] = {}
    pieces = cut()
    for number, numbers in enumerate(by_text(pieces, len(whole))):
        places = [pieces[i].place for i in numbers]
        if any(is_cut(code, places) for code in whole[number].codes):
            whole[number], taken[number] = take_out(whole[number])
    if taken:
        pieces = cut()
    for text, numbers in zip(whole, by_text(pieces, len(whole)), strict=True):
        if text.codes:
            shared = share(text.codes, [pieces[i].place for i in numbers]).within
            for i, codes in zip(numbers, shared, strict=True):
                moved = tuple(code.moved(-pieces[i].place[0]) for code in codes)
                pieces[i] = replace(pieces[i], codes=moved)
    return Cut(list(map(_with_addresses, pieces)), whole, taken)


def _with_addresses(piece: Piece) -> Piece:
    if not (found := addresses(piece.content)):
        return piece
    return replace(piece, codes=tuple(with_copies(piece.codes, found, piece.content)))


def with_copies(codes: Sequence[Code], places: Sequence[Span], content: str) -> list[Code]:
    """The codes of a piece, and codes for other places that its translation has to contain, if no code is in them."""
    free = [span for span in places if not any(code.is_within(*span) for code in codes)]
    copies = [Code(content[start:end], start, end, "copy") for start, end in free]
    return sorted([*codes, *copies], key=lambda code: code.start) if copies else list(codes)


def _in_usual_casing(text: Marked, span: Span, tokenizer: Tokenizer) -> tuple[str, Case | None]:
    """A sentence in usual casing, and the casing it had, or None where it stays as it is; codes are never changed."""
    unit = text.text[slice(*span)]
    if (case := case_of(unit)) is None and not text.codes:
        return unit, None
    kept = [(code.start - span[0], code.end - span[0]) for code in text.codes if span[0] <= code.start < span[1]]
    kept += addresses(unit)
    case = case_of(_blanked(unit, kept))
    changed = usual(unit, case, tokenizer) if case is not None else None
    if changed is None:
        return unit, None
    for start, end in kept:
        changed = f"{changed[:start]}{unit[start:end]}{changed[end:]}"
    return changed[: len(unit)], case


def _language(bundle: Bundle, target_language: str | None) -> str | None:
    """The language of the source, if the model reads only one besides the target language; else None."""
    known = [language for language in bundle.config.source_languages if language != target_language]
    return known[0] if len(known) == 1 else None


def _parts(text: str, language: str | None, by_sentences: bool) -> list[str]:
    """The sentences or the lines of a text; joined, they are the text."""
    return sentences(text, language) if by_sentences else text.splitlines(keepends=True)


def _cut(unit: str, language: str | None, fits: Callable[[str], bool]) -> list[Span]:
    """The places of the parts into which a sentence is cut so that each fits."""
    return _spans(unit, [part for each in sentences(unit, language) for part in pieces_within(each, fits)])


def _without_codes(text: Marked) -> str:
    """The text, with white space in the place of addresses and of what the model reads of codes."""
    places = [(code.start, code.end) for code in text.codes] + addresses(text.text)
    return _blanked(text.text, places) if places else text.text


def _blanked(text: str, places: Sequence[Span]) -> str:
    for start, end in places:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _spans(text: str, parts: Sequence[str]) -> list[Span]:
    """The places of the parts of a text, without white space around them and bullets before them.

    The joined parts are as long as the text, which may have white space where they have letters. Parts that have no
    letters in the text are left out.
    """
    found: list[Span] = []
    start = 0
    for part in parts:
        if any(map(str.isalpha, text[start : start + len(part)])):
            begin = start + len(part) - len(_BEFORE.sub("", part))
            found.append((begin, start + len(part.rstrip())))
        start += len(part)
    return found


def _encode_prefixes(
    bundle: Bundle, texts: Sequence[Marked], prefixes: Sequence[str] | None, limit: int
) -> list[list[int]]:
    """The tokens that each text's translation must begin with, fewer than the limit."""
    if prefixes is None:
        return [[] for _ in texts]
    if len(prefixes) != len(texts):
        given = counted(len(prefixes), "target prefix", "target prefixes")
        raise PolyheadError(f"{counted(len(texts), 'text')}, but {given}")
    encoded = bundle.target_tokenizer.encode_many(prefixes)
    for number, tokens in enumerate(encoded, 1):
        if len(tokens) >= limit:
            raise PolyheadError(f"prefix {number} is longer than the model's limit of {limit} tokens")
    return encoded
