"""The text of a cue with its tags as codes, which cues belong to one sentence, and how one is cut into cues again."""

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from polyhead.inline.codes import Code, Marked, Role

_END = re.compile("[.!?…。！？।؟♪♫]['\"’”»)\\]】」』]*\\s*$")
_GOES_ON = re.compile("[,;:、，،–—-]\\s*$|\\.\\.\\.\\s*$|…\\s*$")
DASH = re.compile(r"\s*[-–—‐]\s*(?=\S)")
_TAG = re.compile(r"<(/?)([a-zA-Z]+)[^<>\n]*>|<\d[\d:.]*>|\{\\[^{}\n]*\}")
_LONGEST_PAUSE = 2.0
"""The most seconds between two cues of one sentence."""


def is_dialogue(text: str) -> bool:
    """Whether the lines of a cue are what several people say: two at least begin with a dash."""
    return sum(bool(DASH.match(line)) for line in text.split("\n")) > 1


def goes_on(before: str, after: str, pause: float) -> bool:
    """Whether a sentence of one cue goes on in the next one, as far as punctuation and capitals tell."""
    before, after = (_TAG.sub("", each).strip() for each in (before, after))
    if pause > _LONGEST_PAUSE or not before or not after or is_dialogue(before) or DASH.match(after):
        return False
    first = next((letter for letter in after if letter.isalpha()), "")
    if _GOES_ON.search(before):
        return not first.isupper() or before[-1] in ",;、，،"
    return not _END.search(before) and first.islower()


def marked(text: str, escaped: bool) -> Marked:
    """A cue's text, its line breaks as they are.

    escaped: whether `&amp;` and the like stand for characters, as in VTT
    """
    read = html.unescape if escaped else str
    return Marked.of(_parts(text, read))


def _parts(text: str, read: Callable[[str], str]) -> Iterator[str | Code]:
    tags = list(_TAG.finditer(text))
    pairs = _pairs(tags)
    done = 0
    for i, tag in enumerate(tags):
        yield read(text[done : tag.start()])
        role: Role = "alone" if i not in pairs else "close" if tag[1] else "open"
        yield Code(tag[0], 0, 0, role, pairs.get(i))
        done = tag.end()
    yield read(text[done:])


def _pairs(tags: Sequence[re.Match[str]]) -> dict[int, int]:
    """The numbers of the tags that are halves of a pair → the pair's number."""
    opened, pairs = dict[str, list[int]](), dict[int, int]()
    for i, tag in enumerate(tags):
        waiting = opened.setdefault((tag[2] or "").lower(), [])
        if tag[2] and not tag[1]:
            waiting.append(i)
        elif waiting:
            pairs[waiting.pop()] = pairs[i] = len(pairs) // 2 + 1
    return pairs


def cut(text: Marked, lengths: Sequence[int]) -> list[Marked]:
    """A text in as many parts as there are lengths, each as long in proportion, cut between words where there are any.

    Codes go with the text that they stand before if they open, behind if they close.
    """
    places = _cuts(text.text, lengths)
    bounds = [0, *places, len(text.text)]
    parts = [text.text[start:end] for start, end in pairwise(bounds)]
    codes: list[list[Code]] = [[] for _ in parts]
    part = 0
    for code in text.codes:
        place = code.start + (code.role != "close")
        while part < len(parts) - 1 and place > bounds[part + 1]:
            part += 1
        codes[part].append(code.moved(-bounds[part]))
    return [Marked(part, tuple(own)) for part, own in zip(parts, codes, strict=True)]


def _cuts(text: str, lengths: Sequence[int]) -> list[int]:
    """Where to cut: near the places in proportion, each behind the one before."""
    possible = [space.end() for space in re.finditer(r"\s+", text)]
    if len(possible) < len(lengths) - 1:
        possible = list(range(1, len(text)))
    total, done, first, places = sum(lengths), 0, 0, list[int]()
    for number, length in enumerate(lengths[:-1]):
        done += length
        last = len(possible) - (len(lengths) - 2 - number)  # each cut that is still to come needs a place
        wanted = len(text) * done / total
        near = bisect_left(possible, wanted, first, max(first, last))
        around = [i for i in (near - 1, near) if first <= i < last]
        best = min(around, key=lambda i: abs(possible[i] - wanted), default=None)
        places.append(len(text) if best is None else possible[best])
        first = len(possible) if best is None else best + 1
    return places
