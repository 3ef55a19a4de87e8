"""Several models as one: their next-token probabilities are averaged.

Shapes: B batch, S source length, R rows, T target length, V vocabulary.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from polyhead.errors import ModelError
from polyhead.model.seq2seq import Seq2Seq
from polyhead.model.state import Memory, State


@dataclass(frozen=True)
class EnsembleMemory(Memory):
    """Every model's memory; the inherited fields are the first model's."""

    members: tuple[Memory, ...] = ()

    def select(self, rows: Tensor) -> "EnsembleMemory":
        """rows [R] int64 → the memories of those rows."""
        return _together([memory.select(rows) for memory in self.members])


@dataclass(frozen=True)
class EnsembleState:
    """Every model's state."""

    members: tuple[State, ...]

    def select(self, rows: Tensor) -> "EnsembleState":
        """rows [R] int64 → the states of those rows."""
        return EnsembleState(tuple(state.select(rows) for state in self.members))


class Ensemble:
    """A `Seq2Seq` whose P(y_t | y_<t, X) is the mean of its models'; all read the same source and write one vocabulary.

    Its logits are log-probabilities. Raises ModelError without models, and at the first step if the models'
    vocabularies differ in size.
    """

    def __init__(self, models: Sequence[Seq2Seq[Any]]) -> None:
        if not models:
            raise ModelError("an ensemble needs at least one model; none was given")
        self.models = tuple(models)

    def encode(self, source: Tensor, source_mask: Tensor) -> EnsembleMemory:
        """source [B, S] int64, source_mask [B, S] bool → every model's memory."""
        return _together([model.encode(source, source_mask) for model in self.models])

    def start(self, memory: Memory) -> EnsembleState:
        """Every model's state before the first token. Raises TypeError if the memory isn't an ensemble's."""
        if not isinstance(memory, EnsembleMemory):
            raise TypeError("this memory comes from a single model; encode the source with the ensemble")
        return EnsembleState(tuple(model.start(part) for model, part in zip(self.models, memory.members, strict=True)))

    def step(self, previous: Tensor, state: EnsembleState) -> tuple[Tensor, EnsembleState]:
        """previous [R] int64 → log-probabilities [R, V], next state."""
        steps = [model.step(previous, part) for model, part in zip(self.models, state.members, strict=True)]
        sizes = [logits.size(1) for logits, _ in steps]
        if len(set(sizes)) > 1:
            listed = ", ".join(map(str, sizes))
            raise ModelError(f"the models of an ensemble must share a target vocabulary; theirs have {listed} pieces")
        each = torch.stack([logits.float().log_softmax(-1) for logits, _ in steps])
        return each.logsumexp(0) - math.log(len(steps)), EnsembleState(tuple(part for _, part in steps))

    def __call__(self, source: Tensor, source_mask: Tensor, target_in: Tensor) -> Tensor:
        """target_in [B, T] int64 → log-probabilities [B, T, V], step by step; what `score` needs."""
        state = self.start(self.encode(source, source_mask))
        steps: list[Tensor] = []
        for previous in target_in.unbind(1):
            log_probabilities, state = self.step(previous, state)
            steps.append(log_probabilities)
        return torch.stack(steps, dim=1)


def _together(memories: Sequence[Memory]) -> EnsembleMemory:
    first = memories[0]
    return EnsembleMemory(first.states, first.mask, first.summary, tuple(memories))
