"""Several models as one: their next-token probabilities are averaged.

Shapes: B batch, S source length, R rows, V vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyhead.decoding.rules import NEVER
from polyhead.decoding.searchable import Booleans, Numbers, Searchable, SearchState, Values, in_memory
from polyhead.errors import ModelError


@dataclass(frozen=True)
class EnsembleMemory:
    """The memory of each model of an ensemble."""

    members: tuple[Any, ...]


@dataclass(frozen=True)
class EnsembleState:
    """The state of each model of an ensemble."""

    members: tuple[SearchState, ...]

    def select(self, rows: Numbers) -> "EnsembleState":
        """rows [R] → the states of those rows."""
        return EnsembleState(tuple(state.select(rows) for state in self.members))


class Ensemble:
    """A `Searchable` whose P(y_t | y_<t, X) is the mean of its models'.

    All read the same source and write one vocabulary. Its logits are log-probabilities. Raises ModelError without
    models, and at the first step if the models' vocabularies differ in size.
    """

    def __init__(self, models: Sequence[Searchable[Any]]) -> None:
        if not models:
            raise ModelError("an ensemble needs at least one model; none was given")
        self.models = tuple(models)

    def encode(self, source: Numbers, source_mask: Booleans) -> EnsembleMemory:
        """source [B, S], source_mask [B, S] → every model's memory."""
        return EnsembleMemory(tuple(model.encode(source, source_mask) for model in self.models))

    def start(self, memory: Any) -> EnsembleState:
        """Every model's state before the first token. Raises TypeError if the memory isn't an ensemble's."""
        if not isinstance(memory, EnsembleMemory):
            raise TypeError("this memory comes from a single model; encode the source with the ensemble")
        return EnsembleState(tuple(model.start(part) for model, part in zip(self.models, memory.members, strict=True)))

    def step(self, previous: Numbers, state: EnsembleState) -> tuple[Values, EnsembleState]:
        """previous [R] → log-probabilities [R, V], next state."""
        steps = [model.step(previous, part) for model, part in zip(self.models, state.members, strict=True)]
        each = [log_softmax(in_memory(logits)) for logits, _ in steps]
        sizes = [logits.shape[1] for logits in each]
        if len(set(sizes)) > 1:
            listed = ", ".join(map(str, sizes))
            raise ModelError(f"the models of an ensemble must share a target vocabulary; theirs have {listed} pieces")
        return log_mean(each), EnsembleState(tuple(part for _, part in steps))


def log_softmax(logits: Values) -> Values:
    """logits [R, V], at least one in each row above -inf → log-probabilities [R, V]."""
    shifted = logits - logits.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def log_mean(each: Sequence[Values]) -> Values:
    """Log-probabilities [R, V] of several models → the logarithm of their mean probability [R, V]."""
    highest = each[0]
    for other in each[1:]:
        highest = np.maximum(highest, other)
    base = np.where(highest > NEVER, highest, 0)  # what is impossible for all stays so
    total = np.exp(each[0] - base)
    for other in each[1:]:
        total += np.exp(other - base)
    with np.errstate(divide="ignore"):
        return np.log(total / len(each)) + base
