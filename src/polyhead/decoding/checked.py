"""A model that is asked at every step whether to go on."""

from collections.abc import Callable
from typing import Generic

from torch import Tensor

from polyhead.model.seq2seq import S, Seq2Seq
from polyhead.model.state import Memory


class Checked(Generic[S]):
    """A `Seq2Seq` that calls `check` before each step of any search; what it raises ends the search."""

    def __init__(self, model: Seq2Seq[S], check: Callable[[], None]) -> None:
        self.model = model
        self.check = check

    def encode(self, source: Tensor, source_mask: Tensor) -> Memory:
        """The model's own."""
        self.check()
        return self.model.encode(source, source_mask)

    def start(self, memory: Memory) -> S:
        """The model's own."""
        return self.model.start(memory)

    def step(self, previous: Tensor, state: S) -> tuple[Tensor, S]:
        """The model's own."""
        self.check()
        return self.model.step(previous, state)
