"""Texts cut into lines, and lines into sentences, of which most models read one at a time. Every character is kept.

The rules for some 300 languages are sentencex's, by the Wikimedia foundation; it would rather leave two sentences
together than cut one in two, and so do the few additions here.
"""

import re
from itertools import accumulate
from typing import Any, cast

import sentencex

_STOPS = "。！？｡．။"
"""The ends of a sentence after which the next may begin without a space."""
_INITIAL = re.compile(r"(?:^|[\s(\[«“\"'])(\w)\.\s*$")
"""A single letter with a full stop: of a name (J. Doe), or a title (M. Dupont)."""
_SPACED_INITIAL = re.compile(r"([A-Z]\s*)[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000](?=\.)")
"""A capital letter and white space before a full stop, the last of it beyond ASCII, which sentencex 1.0.32 fails at."""


def sentences(text: str, language: str | None = None) -> list[str]:
    """The sentences of a text, each with the white space after it: `"".join(sentences(text)) == text`.

    language: the text's, as a BCP 47 code such as ko or pt-BR; None, or one without its own rules, gets general rules
    A line break of whatever kind ends a sentence. Raises UnicodeEncodeError for half of a surrogate pair.
    """
    code = (language or "").partition("-")[0].lower()
    return [sentence for line in text.splitlines(keepends=True) for sentence in _of_line(line, code)]


def _of_line(line: str, language: str) -> list[str]:
    found: list[str] = []
    for part in _parts(line, language):
        if found and not _is_end(found[-1], part):
            found[-1] += part
        else:
            found.append(part)
    return found


def _parts(line: str, language: str) -> list[str]:
    """The sentences of a line as sentencex cuts it; the whole line where it fails."""
    try:
        parts = cast(list[str], cast(Any, sentencex).segment(language, _SPACED_INITIAL.sub(r"\1 ", line)))
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of Rust, which has no public class, and is no Exception
            raise
        return [line]
    return [line[end - len(part) : end] for part, end in zip(parts, accumulate(map(len, parts)), strict=True)]


def _is_end(before: str, after: str) -> bool:
    """Whether one sentence ends and another begins between two parts of a line."""
    if not before[-1].isspace():
        return before[-1] in _STOPS
    if before.rstrip()[-1:] in (".", "…") and after[:1].islower():
        return False
    initial = _INITIAL.search(before)
    return initial is None or initial[1].lower() == initial[1].upper()
