"""Plain text: normal forms, lines, words, pieces. Whatever splits a text here keeps every character of it."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, get_args

UnicodeForm = Literal["none", "NFC", "NFKC"]
Normalisation = Literal["none", "NFC", "NFKC", "nmt-NFC"]
"""Unicode's normal forms. "nmt-NFC" is NFC with what sentencepiece's forms named nmt do: white space of any kind and
length becomes one space, none is left at the ends, and characters that cannot be seen are left out."""

_UNSEEN = dict.fromkeys(
    [code for code in range(0xA0) if not chr(code).isspace() and (code < 0x20 or code >= 0x7F)]  # control characters
    + [0xAD, 0x180E, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), 0x2060, *range(0x2066, 0x206A), 0xFEFF],
)
"""Control characters, soft hyphens, spaces of no width, byte order and direction marks."""
_SPACE_OR_UNSEEN = re.compile(rf"[\s{''.join(map(re.escape, map(chr, _UNSEEN)))}]+")

Unit = Literal["words", "characters"]
"""What a text is measured in; characters for languages that put no spaces between words."""
UNITS: tuple[Unit, ...] = get_args(Unit)
Span = tuple[int, int]
"""(start, end) in characters."""
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60]")
"""Letters and punctuation of Thai, Lao, Burmese, Khmer, Chinese and Japanese, which put no spaces between words."""

_CLAUSE_END = re.compile(r"[,;:]+\s+|[、，；：]\s*")
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\S+")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Joiners and variation selectors: they belong to the character before them, as combining marks do.
_EXTENDERS = frozenset("\u200d\ufe0e\ufe0f")


def normalise(text: str, form: Normalisation, lowercase: bool = False) -> str:
    """`text` in a normal form, in lower case if wanted. Doing it twice changes nothing more."""
    text = in_form(text, form)
    return in_form(text.lower(), form) if lowercase else text  # which can take a text out of its normal form


def in_form(text: str, form: Normalisation) -> str:
    """`text` in a normal form."""
    if form == "none":
        return text
    if form == "nmt-NFC":
        return unicodedata.normalize("NFC", " ".join(text.translate(_UNSEEN).split()))
    return unicodedata.normalize(form, text)


def is_blank(text: str) -> bool:
    """Whether there is nothing to be seen in a text."""
    return not text.translate(_UNSEEN).strip()


def spaces_and_unseen(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, what becomes of it in "nmt-NFC") for all parts of a text, before its characters are composed."""
    done = 0
    for match in _SPACE_OR_UNSEEN.finditer(text):
        start, end = match.span()
        if start > done:
            yield done, start, text[done:start]
        inside = any(map(str.isspace, match.group())) and start > 0 and end < len(text)
        yield start, end, " " if inside else ""
        done = end
    if done < len(text):
        yield done, len(text), text[done:]


def without_surrogates(text: str) -> str:
    """`text` with each half of a surrogate pair replaced by U+FFFD, character for character.

    UTF-8 cannot write such a half, yet JSON can carry one into a string.
    """
    return _LONE_SURROGATE.sub("\ufffd", text)


def length(text: str, unit: Unit) -> int:
    """How many words, as white space separates them, or characters a text has, without white space at its ends."""
    return len(text.split()) if unit == "words" else len(text.strip())


def words(text: str) -> list[tuple[int, int]]:
    """(start, end) of every word, words being what white space separates."""
    return [match.span() for match in _WORD.finditer(text)]


def pieces_within(sentence: str, fits: Callable[[str], bool]) -> list[str]:
    """Cut a sentence so that every piece fits, at the best places there are; `"".join(pieces) == sentence`.

    A sentence that fits stays whole. Otherwise it is cut at clause punctuation; a clause that does not fit, at white
    space; a word, between characters; a character with more marks than fit, between these. Neighbours that fit together
    stay together. A single code point that does not fit is a piece all the same.

    fits: whether a piece is short enough; taken to be true of every shorter piece too.
    """
    if not sentence or fits(sentence):
        return [sentence] if sentence else []
    return _split_further(sentence, fits, _FINER)


def _cut(text: str, ends: Iterator[int]) -> list[str]:
    """Cut a text after each of the given places, which rise."""
    parts: list[str] = []
    start = 0
    for end in ends:
        if start < end < len(text):
            parts.append(text[start:end])
            start = end
    if start < len(text):
        parts.append(text[start:])
    return parts


def _clauses(text: str) -> list[str]:
    return _cut(text, (match.end() for match in _CLAUSE_END.finditer(text)))


def _spaced(text: str) -> list[str]:
    return _cut(text, (match.end() for match in _SPACE.finditer(text)))


def _characters(text: str) -> list[str]:
    """Characters, each with the combining marks that follow it."""
    return _cut(text, (i for i, c in enumerate(text) if not unicodedata.combining(c) and c not in _EXTENDERS))


_FINER: tuple[Callable[[str], list[str]], ...] = (_clauses, _spaced, _characters, list)
"""The ways to cut a text, the coarsest first. The last one cuts a letter from its marks, of which a text may have any
number, as every piece has to fit."""


def _split_further(text: str, fits: Callable[[str], bool], finer: Sequence[Callable[[str], list[str]]]) -> list[str]:
    """Cut by the first of `finer`, join neighbours while they fit, and cut what does not fit by the next."""
    if not finer:
        return [text]
    parts = finer[0](text)
    pieces: list[str] = []
    start = 0
    while start < len(parts):
        taken = _how_many_fit(parts, start, fits)
        if taken:
            pieces.append("".join(parts[start : start + taken]))
        else:
            pieces.extend(_split_further(parts[start], fits, finer[1:]))
        start += max(taken, 1)
    return pieces


def _how_many_fit(parts: Sequence[str], start: int, fits: Callable[[str], bool]) -> int:
    """How many parts from `start` on fit together: doubling, then halving, so that few pieces are tried."""
    best, step = 0, 1
    while step:
        count = best + step
        if start + count <= len(parts) and fits("".join(parts[start : start + count])):
            best, step = count, step * 2
        else:
            step = step // 2 if step > 1 else 0
            if step == 0 or best == 0:
                break
    return best
