"""What an observer of a beam search is shown, step by step, and the search tree that one sentence's steps make."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from polyhead.decoding.candidates import Candidates


@dataclass(frozen=True)
class Ranked:
    """Candidates [C] with their normalised scores [C] (`totals` divided by the length penalty)."""

    candidates: Candidates
    scores: NDArray[np.float64]


@dataclass(frozen=True)
class StepRecord:
    """A step of a beam search. Parents are indices into the previous record's `live`, at step 0 into the sentences."""

    step: int
    """t, how many tokens the parents have."""
    live: Ranked
    """The candidates that the search goes on with, in the order of its rows."""
    finished: Ranked
    """The candidates that have ended in `<eos>`, whether or not they get into the n best."""
    pruned: Ranked
    """The candidates that were among the best and are given up."""


Observer = Callable[[StepRecord], None]
Fate = Literal["live", "finished", "pruned"]


@dataclass(frozen=True)
class Node:
    """A hypothesis of the search tree: its parent continued by one token."""

    id: int
    """The node's number in the tree, counted from 0 in the order of the search."""
    parent: int | None
    """The parent's id; None for a first token."""
    token: int
    log_probability: float
    """log P(token | parent, X)."""
    total: float
    """log P of the whole hypothesis."""
    score: float
    """`total` divided by the length penalty."""
    fate: Fate


@dataclass(frozen=True)
class TreeStep:
    """The nodes of one step, the most probable first; t is how many tokens their parents have."""

    step: int
    nodes: tuple[Node, ...]


class SearchTree:
    """An observer that keeps one sentence's history: every hypothesis that lived, ended or was given up."""

    def __init__(self, sentence: int = 0) -> None:
        """sentence: the row of the searched batch whose history is kept."""
        self.steps: list[TreeStep] = []
        self._sentence = sentence
        self._living: dict[int, int] = {}  # row of the search → id of the node that it continues
        self._numbers = count()

    def __call__(self, record: StepRecord) -> None:
        """Enters a step; a step in which the sentence is no longer searched adds nothing."""
        live = dict(self._nodes(record.live, "live"))
        others = [*self._nodes(record.finished, "finished"), *self._nodes(record.pruned, "pruned")]
        nodes = [*live.values(), *(node for _, node in others)]
        if nodes:
            self.steps.append(TreeStep(record.step, tuple(sorted(nodes, key=lambda node: -node.total))))
        self._living = {row: node.id for row, node in live.items()}

    def _nodes(self, ranked: Ranked, fate: Fate) -> Iterator[tuple[int, Node]]:
        """The sentence's own candidates as nodes, each with its row."""
        found = ranked.candidates
        for row in (found.sentences == self._sentence).nonzero()[0].tolist():
            yield (
                row,
                Node(
                    id=next(self._numbers),
                    parent=self._living.get(int(found.parents[row])),
                    token=int(found.tokens[row]),
                    log_probability=float(found.log_probabilities[row]),
                    total=float(found.totals[row]),
                    score=float(ranked.scores[row]),
                    fate=fate,
                ),
            )
