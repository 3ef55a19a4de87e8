"""Text in capitals, rewritten in the casing that a model knows best.

`TWO DOGS` has many more tokens than `two dogs` where training had no capitals, and comes out as nonsense. A word's
usual casing is the one that takes the fewest tokens, of several the one in small letters: so the vocabulary itself is
the truecasing model (Lita et al. 2003), without data of its own.
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal

from polyhead.tokenizers.protocol import Tokenizer

Case = Literal["upper", "title"]
"""The casing of TEXT IN CAPITALS, or of Text Whose Words Begin With Capitals."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FEWEST_LETTERS = 5
"""The fewest letters of a text that is changed: a name of four letters may be an acronym."""
_SHARE = 0.75
"""A text is changed only if its usual casing takes at most this share of the tokens that it has as it is."""
_ENGLISH_PRONOUN = "I"
"""The one word that is written with a capital within sentences and has as few tokens without."""


def case_of(text: str) -> Case | None:
    """The casing of a text where it is another than sentences have, else None, as in scripts without capitals."""
    if any(word[:1].islower() for word in text.split()):
        return None
    words = [word for word in _WORD.findall(text) if word.upper() != word.lower()]
    if sum(map(len, words)) < _FEWEST_LETTERS:
        return None
    if all(word.isupper() for word in words):
        return "upper"
    if len(words) > 2 and all(word[:1].isupper() for word in words) and any(map(_ends_lower, words)):
        return "title"
    return None


def usual(text: str, case: Case, tokenizer: Tokenizer) -> str | None:
    """The text in its words' usual casing, as long as it was; None where that saves too few tokens."""
    words = _WORD.findall(text)
    found = dict(zip(words, _usual_words(words, tokenizer), strict=True))
    changed = _WORD.sub(lambda match: found[match.group()], text)
    first = _WORD.search(changed)
    if first is not None:
        changed = f"{changed[: first.start()]}{_capital(first.group())}{changed[first.end() :]}"
    if len(changed) != len(text):
        return None
    before, after = (len(ids) for ids in tokenizer.encode_many([text, changed]))
    return changed if after <= before * _SHARE else None


def as_it_was(text: str, case: Case) -> str:
    """A translation in the casing that its source had."""
    return text.upper() if case == "upper" else _WORD.sub(lambda match: _capital(match.group()), text)


def _usual_words(words: Sequence[str], tokenizer: Tokenizer) -> list[str]:
    forms: list[Callable[[str], str]] = [str.lower, _with_one_capital, str]
    ids = [tokenizer.encode_many([form(word) for word in words]) for form in forms]
    found: list[str] = []
    for word, *lengths in zip(words, *(map(len, each) for each in ids), strict=True):
        best = forms[lengths.index(min(lengths))]  # the first of several
        found.append(word if word == _ENGLISH_PRONOUN else best(word))
    return found


def _with_one_capital(word: str) -> str:
    return word[:1] + word[1:].lower()


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def _ends_lower(word: str) -> bool:
    return word[-1:].islower()
