"""Texts that remember where each of their characters came from."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from polyhead.text import Normalisation, UnicodeForm, spaces_and_unseen

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Traced:
    """A text, and for each of its characters the span of the original text that it was made from."""

    text: str
    origins: tuple[Span, ...]

    @classmethod
    def of(cls, text: str) -> "Traced":
        """A text as it is: every character comes from itself."""
        return cls(text, tuple((i, i + 1) for i in range(len(text))))

    def through(self, parts: Iterable[tuple[int, int, str]]) -> "Traced":
        """Rewrite: each (start, end, new) says that `text[start:end]` becomes `new`; the parts cover the text."""
        written: list[str] = []
        origins: list[Span] = []
        for start, end, new in parts:
            written.append(new)
            if new == self.text[start:end]:
                origins.extend(self.origins[start:end])
            else:
                origins.extend([self.span(start, end)] * len(new))
        return Traced("".join(written), tuple(origins))

    def each(self, change: Callable[[str], str]) -> "Traced":
        """Rewrite every character by itself."""
        return self.through((i, i + 1, change(c)) for i, c in enumerate(self.text))

    def span(self, start: int, end: int) -> Span:
        """The span of the original that `text[start:end]` was made from; empty for an empty one."""
        if start >= end:
            at = self.origins[start][0] if start < len(self.origins) else (self.origins[-1][1] if self.origins else 0)
            return at, at
        return self.origins[start][0], self.origins[end - 1][1]


def normalised(text: str, form: Normalisation, lowercase: bool) -> Traced:
    """What `text.normalise` gives, each character traced back to the text."""
    traced = _in_form(Traced.of(text), form)
    if lowercase:
        lower = traced.text.lower()
        traced = traced.each(str.lower)
        if len(lower) == len(traced.text):  # same lengths, but a final sigma knows that it is final
            traced = Traced(lower, traced.origins)
        traced = _in_form(traced, form)
    return traced


def _in_form(traced: Traced, form: Normalisation) -> Traced:
    if form == "nmt-NFC":
        return _composed(traced.through(spaces_and_unseen(traced.text)), "NFC")
    return _composed(traced, form)


def _composed(traced: Traced, form: UnicodeForm) -> Traced:
    text = traced.text
    if form == "none" or unicodedata.is_normalized(form, text):
        return traced
    parts: list[tuple[int, int, str]] = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and not _separate(text[start:end], text[end], form):
            end += 1
        parts.append((start, end, unicodedata.normalize(form, text[start:end])))
        start = end
    result = traced.through(parts)
    # Should the parts ever not add up, coarse origins beat a text that differs from what is encoded.
    whole = unicodedata.normalize(form, text)
    return result if result.text == whole else traced.through([(0, len(text), whole)])


def _separate(before: str, character: str, form: UnicodeForm) -> bool:
    """Whether normalisation treats a character apart from the text before it."""
    if form == "none" or character.isascii():
        return True
    alone = unicodedata.normalize(form, character)
    if unicodedata.combining(alone[0]):
        return False
    return unicodedata.normalize(form, before + character) == unicodedata.normalize(form, before) + alone


# Sentencepiece writes a space as "▁", so a "▁" in the text itself has to be escaped; and so has the escape character,
# which is from the private use area.
_ESCAPE = "\ue581"
_ESCAPED = {_ESCAPE: _ESCAPE + "0", "▁": _ESCAPE + "1"}
_WRITTEN = {written: meant for meant, written in _ESCAPED.items()}
_NEEDS_ESCAPE = re.compile(f"[{_ESCAPE}▁]")
_IS_ESCAPED = re.compile(f"{_ESCAPE}[01]")


def escape(text: str) -> str:
    """Rewrite so that no "▁" is left; `unescape` undoes it, and no two texts become the same."""
    return _NEEDS_ESCAPE.sub(lambda match: _ESCAPED[match.group()], text)


def unescape(text: str) -> str:
    """Undo `escape`. Any other text, such as a model may write, stays as it is."""
    return _IS_ESCAPED.sub(lambda match: _WRITTEN[match.group()], text)


def escaped(traced: Traced) -> Traced:
    """What `escape` gives, each character traced back as before."""
    return traced.each(lambda character: _ESCAPED.get(character, character))


def unescaped_places(text: str) -> list[int]:
    """For every place in an escaped text, 0 to its length, the place in `unescape(text)`."""
    places: list[int] = []
    shift = 0
    end = 0
    for match in _IS_ESCAPED.finditer(text):
        places.extend(range(end - shift, match.start() + 1 - shift))
        places.append(match.start() - shift)  # within the escape: still before the character it stands for
        end = match.end()
        shift += 1
    places.extend(range(end - shift, len(text) + 1 - shift))
    return places
