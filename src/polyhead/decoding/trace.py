"""What an observer of a beam search is shown, step by step: enough to draw the whole search tree."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from polyhead.decoding.candidates import Candidates


@dataclass(frozen=True)
class Ranked:
    """Candidates [C] with their normalised scores [C] float64 (`totals` divided by the length penalty)."""

    candidates: Candidates
    scores: Tensor


@dataclass(frozen=True)
class StepRecord:
    """One step. A candidate's parent is an index into the previous record's `live`; at step 0 into the sentences."""

    step: int
    """t, how many tokens the parents have."""
    live: Ranked
    """What the search goes on with, in the order of its rows."""
    finished: Ranked
    """What has ended in `<eos>`, whether or not it gets into the n best."""
    pruned: Ranked
    """What was among the best candidates and is given up."""


Observer = Callable[[StepRecord], None]
