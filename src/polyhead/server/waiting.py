"""The texts that wait for a model, and which of them are decoded together next.

Every batch holds the text that has waited longest, so that none waits for ever, and those of its kind that are nearest
to it in length, so that little of the batch is padding.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from polyhead.decoding.length_penalty import Penalty
from polyhead.inline.codes import Marked
from polyhead.translating.pieces import Split
from polyhead.translating.translation import Translation
from polyhead.translating.translator import Translator


@dataclass(frozen=True)
class Wish:
    """How texts are to be translated; those with the same wish can be decoded together."""

    target_language: str | None = None
    beam_size: int | None = None
    n_best: int | None = None
    length_penalty: Penalty | None = None
    patience: float | None = None
    split: Split = "auto"
    """What the model reads at a time: sentences, lines, or ("auto") what it was trained on."""

    @property
    def settings(self) -> dict[str, float | str]:
        """The search settings that are to differ from the model's own, by name."""
        named = {"length_penalty": self.length_penalty, "patience": self.patience}
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, eq=False)
class Request:
    """The texts of one client. The answer is one translation a text; a client that leaves cancels it."""

    texts: Sequence[str | Marked]
    wish: Wish
    answer: Future[list[Translation]]
    found: list[Translation | None]


@dataclass(frozen=True, eq=False)
class Errand:
    """Something else for which the model is needed, alone: a trace, a stream."""

    do: Callable[[Translator], Any]
    answer: Future[Any]


@dataclass(frozen=True, eq=False)
class Item:
    """One text of a request."""

    request: Request
    number: int

    @property
    def text(self) -> str | Marked:
        """The text that is to be translated."""
        return self.request.texts[self.number]

    @property
    def length(self) -> int:
        """How many characters the text has."""
        return len(self.text.text if isinstance(self.text, Marked) else self.text)


Task = Item | Errand
Batch = Errand | list[Item]


def is_wanted(task: Task) -> bool:
    """Whether somebody still waits for the answer."""
    return not (task.answer if isinstance(task, Errand) else task.request.answer).done()


def next_batch(waiting: Sequence[Task], budget: int) -> Batch:
    """The first task, alone if it is an errand, else with the texts nearest in length within `budget`.

    waiting: the oldest first, one at least; budget: characters, padding included. The batch keeps the order of arrival.
    """
    first = waiting[0]
    if isinstance(first, Errand):
        return first
    alike = [task for task in waiting if isinstance(task, Item) and task.request.wish == first.request.wish]
    by_length = sorted(range(len(alike)), key=lambda i: alike[i].length)
    start, end = _around(by_length.index(0), [alike[i].length + 1 for i in by_length], budget)
    return [alike[i] for i in sorted(by_length[start:end])]


def _around(place: int, lengths: Sequence[int], budget: int) -> tuple[int, int]:
    """The window (start, end) of rising lengths around a place, always growing to its nearest neighbour."""
    start, end = place, place + 1
    while start > 0 or end < len(lengths):
        below = lengths[place] - lengths[start - 1] if start > 0 else None
        above = lengths[end] - lengths[place] if end < len(lengths) else None
        grow_up = below is None or (above is not None and above < below)
        longest = lengths[end] if grow_up else lengths[end - 1]
        if longest * (end - start + 1) > budget:
            break
        start, end = (start, end + 1) if grow_up else (start - 1, end)
    return start, end
