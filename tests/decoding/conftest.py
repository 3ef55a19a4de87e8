"""Toy models that satisfy the `Seq2Seq` protocol, and can be called with whole targets as `score` does it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from polyhead.model.arrays import InArrays
from polyhead.model.seq2seq import Seq2Seq
from polyhead.model.state import Memory

BUCKETS = 9973


@dataclass(frozen=True)
class HashState:
    """hash [R]: stands for the source and the whole prefix."""

    hash: Tensor

    def select(self, rows: Tensor) -> "HashState":
        return HashState(self.hash[rows])


class TableModel:
    """Random logits for every (source, prefix), the same in every batch to the last bit."""

    def __init__(self, vocabulary: int, seed: int, spread: float = 2.0) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.table = torch.randn(BUCKETS, vocabulary, generator=generator) * spread

    def encode(self, source: Tensor, source_mask: Tensor) -> Memory:
        weights = torch.arange(1, source.size(1) + 1) * 131
        states = ((source * weights).masked_fill(~source_mask, 0).sum(1) % BUCKETS)[:, None, None]
        return Memory(states, source_mask)

    def start(self, memory: Memory) -> HashState:
        return HashState(memory.states[:, 0, 0])

    def step(self, previous: Tensor, state: HashState) -> tuple[Tensor, HashState]:
        after = (state.hash * 31 + previous * 7919 + 17) % BUCKETS
        return self.table[after], HashState(after)

    def __call__(self, source: Tensor, source_mask: Tensor, target_in: Tensor) -> Tensor:
        state, steps = self.start(self.encode(source, source_mask)), list[Tensor]()
        for previous in target_in.unbind(1):
            logits, state = self.step(previous, state)
            steps.append(logits)
        return torch.stack(steps, dim=1)


@dataclass(frozen=True)
class HiddenState:
    """hidden [R, D]."""

    hidden: Tensor

    def select(self, rows: Tensor) -> "HiddenState":
        return HiddenState(self.hidden[rows])


class TinyGRU(nn.Module):
    """A decoder-only toy in floating point: the source's mean embedding is the first hidden state."""

    def __init__(self, vocabulary: int, seed: int, width: int = 16) -> None:
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.embedding = nn.Embedding(vocabulary, width)
            self.cell = nn.GRUCell(width, width)
            self.output = nn.Linear(width, vocabulary)
        with torch.no_grad():
            self.output.weight.mul_(6)

    def encode(self, source: Tensor, source_mask: Tensor) -> Memory:
        return Memory(self.embedding(source), source_mask)

    def start(self, memory: Memory) -> HiddenState:
        weights = memory.mask[:, :, None].float()
        return HiddenState((memory.states * weights).sum(1) / weights.sum(1).clamp(min=1))

    def step(self, previous: Tensor, state: HiddenState) -> tuple[Tensor, HiddenState]:
        hidden = self.cell(self.embedding(previous), state.hidden)
        return self.output(hidden), HiddenState(hidden)

    def forward(self, source: Tensor, source_mask: Tensor, target_in: Tensor) -> Tensor:
        state = self.start(self.encode(source, source_mask))
        inputs = self.embedding(target_in)
        steps: list[Tensor] = []
        hidden = state.hidden
        for position in range(target_in.size(1)):
            hidden = self.cell(inputs[:, position], hidden)
            steps.append(self.output(hidden))
        return torch.stack(steps, dim=1)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def table_model() -> Callable[..., Seq2Seq[Any]]:
    return TableModel


@pytest.fixture
def tiny_gru() -> Callable[..., Any]:
    return TinyGRU


@pytest.fixture
def sources() -> Callable[..., tuple[Tensor, Tensor]]:
    """(count, seed) → source [B, S], source_mask [B, S], of different lengths."""

    def make(count: int, seed: int = 0, longest: int = 6, vocabulary: int = 40) -> tuple[Tensor, Tensor]:
        generator = torch.Generator().manual_seed(seed)
        source = torch.randint(4, vocabulary, (count, longest), generator=generator)
        lengths = torch.randint(1, longest + 1, (count,), generator=generator)
        mask = torch.arange(longest) < lengths[:, None]
        return source.masked_fill(~mask, 0), mask

    return make


@pytest.fixture
def arrays(sources: Callable[..., tuple[Tensor, Tensor]]) -> Callable[..., tuple[NDArray[Any], NDArray[Any]]]:
    """The same in arrays."""

    def make(*given: Any, **named: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        source, mask = sources(*given, **named)
        return source.numpy(), mask.numpy()

    return make


class CountingModel:
    """Wraps a model, of tensors or in arrays, and notes how many rows each step is given."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.rows: list[int] = []

    def encode(self, source: Any, source_mask: Any) -> Any:
        return self.model.encode(source, source_mask)

    def start(self, memory: Any) -> Any:
        return self.model.start(memory)

    def step(self, previous: Any, state: Any) -> tuple[Any, Any]:
        self.rows.append(len(previous))
        return self.model.step(previous, state)


@pytest.fixture
def counting() -> Callable[[Any], Any]:
    return CountingModel


class Apart(InArrays):
    """Its logits stay in tensors, as they do on a GPU."""

    def _given(self, numbers: Tensor) -> Tensor:
        return numbers.float()


@pytest.fixture
def apart() -> Callable[[Seq2Seq[Any]], InArrays]:
    return Apart
