"""Codes that the model reads: where they are in what it wrote, and how they are taken out of what it reads.

A model that has seen `{name}` or an address in training copies it, and the sentence around it is the better for it. If
the translation hasn't got it as it is, it is taken out of the source and put into the translation.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from polyhead.inline.codes import Code, Marked
from polyhead.text import UNSPACED, Span

_OPENING = frozenset("([{«‹„“‘\"'¡¿/-‐–—@#")
_WORD = re.compile(r"\w", re.ASCII)


@dataclass(frozen=True)
class Taken:
    """What stood in a text in the place of a code; empty for a code of which the model reads nothing."""

    text: str = ""
    joined_before: bool = False
    """Whether a letter or a digit is right before it."""
    joined_after: bool = False


def places_of(texts: Sequence[str], translation: str) -> list[Span] | None:
    """Where each of some texts is in a translation, in the order of the source; None unless each is there once.

    A text that is there several times in the source has to be as many times in the translation.
    """
    places: dict[int, Span] = {}
    free = translation
    for text in sorted(set(texts), key=lambda each: (-len(each), each)):
        wanted = [number for number, each in enumerate(texts) if each == text]
        found = [match.span() for match in _alone(text).finditer(free)]
        if len(found) != len(wanted):
            return None
        for number, (start, end) in zip(wanted, found, strict=True):
            places[number] = start, end
            free = f"{free[:start]}{_TAKEN * (end - start)}{free[end:]}"
    return [places[number] for number in range(len(texts))]


_TAKEN = "\ufdd0"
"""A code point that is no character."""


def _alone(text: str) -> re.Pattern[str]:
    """Finds a text where it is not a part of a longer word or number."""
    before = "(?<![A-Za-z0-9_])" if _WORD.match(text) else ""
    after = "(?![A-Za-z0-9_])" if _WORD.match(text[-1]) else ""
    return re.compile(before + re.escape(text) + after)


def take_out(marked: Marked) -> tuple[Marked, list[Taken]]:
    """A text with codes → the text without what the model reads of the codes, and what was taken out for each code.

    One of two spaces that would be left beside each other goes with the code.
    """
    text, done, codes, taken = "", 0, list[Code](), list[Taken]()
    for code in marked.codes:
        text += marked.text[done : code.start]
        done = max(done, code.end)
        before, read, after = marked.text[: code.start], marked.text[code.start : code.end], marked.text[code.end :]
        if read:
            taken.append(Taken(read, before[-1:].isalnum(), after[:1].isalnum()))
            if after[:1] == " " and text[-1:] in ("", " "):
                done += 1
            elif not after or not (after[0].isalnum() or after[0].isspace()):
                text = text.rstrip(" ")
        else:
            taken.append(Taken())
        codes.append(replace(code, start=len(text), end=len(text)))
    text += marked.text[done:]
    end = len(text)
    for number in reversed(range(len(codes))):  # spaces may have gone from behind a code
        end = min(end, codes[number].start)
        codes[number] = replace(codes[number], start=end, end=end)
    return Marked(text, tuple(codes)), taken


def put_in(marked: Marked, taken: Sequence[Taken]) -> Marked:
    """A translation with codes of which nothing was read, and what was taken out for each → the two as one text.

    Spaces are put around what was taken out where it would touch a letter that it did not touch before.
    """
    text, done, codes = "", 0, list[Code]()
    for code, out in zip(marked.codes, taken, strict=True):
        text += marked.text[done : code.start]
        done = code.start
        if not out.text:
            codes.append(replace(code, start=len(text), end=len(text)))
            continue
        if text and not out.joined_before and _needs_space(text[-1]) and text[-1] not in _OPENING:
            text += " "
        codes.append(replace(code, start=len(text), end=len(text) + len(out.text)))
        text += out.text
        following = marked.text[done : done + 1]
        if not out.joined_after and following.isalnum() and _needs_space(following):
            text += " "
    return Marked(text + marked.text[done:], tuple(codes))


def _needs_space(neighbour: str) -> bool:
    return not neighbour.isspace() and not UNSPACED.match(neighbour)
