"""What is translated as one text, and what comes back for it."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from polyhead.inline.codes import Code, Marked

EMPTY = Marked("")


class Answer(Protocol):
    """What a translator gives back for a unit; `translating.translation.Translation` is one."""

    @property
    def marked(self) -> Marked:
        """The translation, with the codes of what was sent at their new places."""
        ...

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with it, a sentence each."""
        ...


class Translate(Protocol):
    """Translates texts: as many answers as texts, in the same order."""

    def __call__(self, texts: Sequence[Marked], /) -> Sequence[Answer]: ...


@dataclass(frozen=True)
class Unit:
    """A text that is translated as one, within what stands around it and stays."""

    marked: Marked
    """What is translated."""
    line: int
    """The line of the file that it begins in, counted from 1."""
    name: str = ""
    """What a message calls it besides its line, such as a key; empty where there is nothing to call it."""
    head: Marked = EMPTY
    """White space and codes before it, which stay there."""
    tail: Marked = EMPTY
    """White space and codes behind it."""


@dataclass(frozen=True)
class Answered:
    """A unit with its translation."""

    unit: Unit
    marked: Marked
    """The translation. It has the unit's codes, each once, unless problems say otherwise."""
    problems: tuple[str, ...] = ()

    @property
    def safe(self) -> Marked:
        """The translation, or the unit's own text where something is wrong with it; without head and tail."""
        return self.unit.marked if self.problems else self.marked

    @property
    def whole(self) -> Marked:
        """The safe translation between the unit's head and tail."""
        return joined(self.unit.head, self.safe, self.unit.tail)

    @property
    def proposed(self) -> Marked:
        """The translation whatever is wrong with it, between head and tail: for formats that can mark it as doubtful.

        Where codes are lost, doubled or out of order it has none: halves of pairs would spoil the file.
        """
        spoiled = code_problems(self.unit.marked, self.marked)
        return joined(self.unit.head, Marked(self.marked.text) if spoiled else self.marked, self.unit.tail)

    @property
    def is_changed(self) -> bool:
        """Whether what would be written differs from what the file has."""
        return self.safe != self.unit.marked


def joined(*parts: Marked) -> Marked:
    """Several texts with codes as one."""
    text, codes = "", list[Code]()
    for part in parts:
        codes += [code.moved(len(text)) for code in part.codes]
        text += part.text
    return Marked(text, tuple(codes))


def without_margins(whole: Marked, line: int, name: str = "") -> Unit:
    """A unit of a text: the white space around it is its head and tail."""
    text = whole.text
    begin = len(text) - len(text.lstrip())
    end = max(begin, len(text.rstrip()))
    first = min((code.start for code in whole.codes), default=begin)
    last = max((code.end for code in whole.codes), default=end)
    begin, end = min(begin, first), max(end, last)
    inner = tuple(code.moved(-begin) for code in whole.codes)
    return Unit(_paired(Marked(text[begin:end], inner)), line, name, Marked(text[:begin]), Marked(text[end:]))


def _paired(marked: Marked) -> Marked:
    """A text in which half of a pair is a code alone if the other half is not in the text."""
    halves = Counter(code.pair for code in marked.codes if code.pair is not None)
    if all(count == 2 for count in halves.values()):
        return marked
    whole = {pair for pair, count in halves.items() if count == 2}
    codes = (code if code.pair in whole else Code(code.content, code.start, code.end) for code in marked.codes)
    return Marked(marked.text, tuple(codes))


def without_edges(whole: Marked, line: int, name: str = "") -> Unit:
    """A unit of a text: its head and tail are the white space and the codes of which the model reads nothing around it.

    Of a pair both halves are taken, or neither: those of `<b>Hello</b>` are, those of `<b>Hello</b> you` are not.
    """
    parts = list(whole.parts())
    edges = [_is_edge(part) for part in parts]
    front = edges.index(False) if False in edges else len(parts)
    end = len(parts) - edges[::-1].index(False) if front < len(parts) else len(parts)
    return _divided(whole, parts, *_whole_pairs(parts, front, end), line, name)


def _is_edge(part: str | Code) -> bool:
    return not part.strip() if isinstance(part, str) else part.start == part.end


def _whole_pairs(parts: Sequence[str | Code], front: int, end: int) -> tuple[int, int]:
    """front and end, moved apart until parts[front:end] has of each pair of codes both halves or neither."""
    other, opened = dict[int, int](), dict[int, int]()
    for place, part in enumerate(parts):
        if isinstance(part, Code) and part.pair is not None:
            half = opened.setdefault(part.pair, place)
            other[place], other[half] = half, place
    new = list(range(front, end))
    while new:
        half = other.get(new.pop(), front)
        if half < front:
            new += range(half, front)
            front = half
        elif half >= end > front:
            new += range(end, half + 1)
            end = half + 1
    return front, end


def _divided(whole: Marked, parts: Sequence[str | Code], front: int, back: int, line: int, name: str) -> Unit:
    """The unit of a text of which parts[front:back] are to be translated."""
    count = [sum(isinstance(part, Code) for part in some) for some in (parts[:front], parts[back:])]
    first, last = count[0], len(whole.codes) - count[1]
    begin = sum(len(part) for part in parts[:front] if isinstance(part, str))
    end = len(whole.text) - sum(len(part) for part in parts[back:] if isinstance(part, str))
    head, middle, tail = whole.codes[:first], whole.codes[first:last], whole.codes[last:]
    inner = without_margins(Marked(whole.text[begin:end], tuple(code.moved(-begin) for code in middle)), line, name)
    return replace(
        inner,
        head=joined(Marked(whole.text[:begin], head), inner.head),
        tail=joined(inner.tail, Marked(whole.text[end:], tuple(code.moved(-end) for code in tail))),
    )


def has_words(marked: Marked) -> bool:
    """Whether there is a letter in a text outside of its codes: without one there is nothing to translate."""
    return any(letter.isalpha() for part in marked.parts() if isinstance(part, str) for letter in part)


def code_problems(expected: Marked, found: Marked) -> tuple[str, ...]:
    """What is wrong with the codes of a translation: each has to be there once, pairs open before they close."""
    wanted, given = (Counter(map(_identity, marked.codes)) for marked in (expected, found))
    problems = [_sentence(content, "is missing") for content, _, _ in (wanted - given).elements()]
    problems += [_sentence(content, "is there too often") for content, _, _ in (given - wanted).elements()]
    ordered = _is_well_formed(found, _is_nested(expected)) or not _is_well_formed(expected, nested=False)
    if not problems and not ordered:
        problems.append("its tags stand in the wrong order")
    return tuple(dict.fromkeys(problems))


def _identity(code: Code) -> tuple[str, str, int | None]:
    return code.content, code.role, code.pair


def _sentence(content: str, what: str) -> str:
    shown = content if len(content) <= 60 else f"{content[:57]}…"
    return f"{shown} {what}"


def _is_well_formed(marked: Marked, nested: bool) -> bool:
    """Whether places of codes ascend within the text and pairs open before they close: if `nested`, the last first."""
    done, opened, order = 0, set[int](), list[int]()
    for code in marked.codes:
        if not done <= code.start <= code.end <= len(marked.text):
            return False
        done = code.end
        if code.pair is None or code.role == "alone":
            continue
        if code.role == "open":
            opened.add(code.pair)
            order.append(code.pair)
        elif code.pair not in opened or (nested and order.pop() != code.pair):
            return False
        else:
            opened.remove(code.pair)
    return True


def _is_nested(marked: Marked) -> bool:
    return _is_well_formed(marked, nested=True)


def mapped(marked: Marked, change: Callable[[str], str]) -> Marked:
    """A text whose stretches between the codes are changed, and whose codes stay between them."""
    text, codes, done = "", list[Code](), 0
    for code in marked.codes:
        text += change(marked.text[done : code.start])
        codes.append(code.moved(len(text) - code.start))
        text += marked.text[code.start : code.end]
        done = code.end
    return Marked(text + change(marked.text[done:]), tuple(codes))
