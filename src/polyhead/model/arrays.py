"""A PyTorch model behind an interface of NumPy arrays, as searches use it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.model.seq2seq import Seq2Seq, Seq2SeqModel
from polyhead.model.state import Memory, State


@dataclass(frozen=True)
class StateInArrays:
    """A decoder's state in tensors, whose rows NumPy arrays select."""

    inner: State
    device: torch.device

    @torch.inference_mode()
    def select(self, rows: NDArray[np.int64]) -> "StateInArrays":
        """rows [R] → the state of those rows."""
        return StateInArrays(self.inner.select(torch.from_numpy(rows).to(self.device)), self.device)


class InArrays:
    """`encode`, `start`, `step` of a `Seq2Seq`: arrays go in; logits are arrays too where the model is on the CPU."""

    def __init__(self, model: Seq2Seq[Any], device: torch.device | None = None) -> None:
        """device: where the model is; to be given for a model that is no `Seq2SeqModel` and not on the CPU."""
        self.model = model
        self.device = device or (model.device if isinstance(model, Seq2SeqModel) else torch.device("cpu"))

    @torch.inference_mode()
    def encode(self, source: NDArray[np.int64], source_mask: NDArray[np.bool_]) -> Memory:
        """source [B, S], source_mask [B, S] → the model's own memory, in tensors."""
        return self.model.encode(self._tensor(source), self._tensor(source_mask))

    @torch.inference_mode()
    def start(self, memory: Memory) -> StateInArrays:
        """The decoder's state before the first token."""
        return StateInArrays(self.model.start(memory), self.device)

    @torch.inference_mode()
    def step(
        self, previous: NDArray[np.int64], state: StateInArrays
    ) -> tuple[NDArray[np.float32] | Tensor, StateInArrays]:
        """previous [R] → logits [R, V] in float32, an array on the CPU, else a tensor on its device; the next state."""
        logits, after = self.model.step(self._tensor(previous), state.inner)
        return self._given(logits), StateInArrays(after, self.device)

    def _tensor(self, array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.array(array, order="C")).to(self.device)  # the caller's may be a view, or read-only

    def _given(self, numbers: Tensor) -> NDArray[np.float32] | Tensor:
        numbers = numbers.float()
        return numbers.numpy() if numbers.device.type == "cpu" else numbers
