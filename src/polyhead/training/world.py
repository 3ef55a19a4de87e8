"""The processes that train one model together: what a training asks of them, and a training by one process alone.

Every process computes its own shares of every batch. A training knows the other processes by one value, a `World`,
which is made where the command begins. All processes make the same calls to it in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from polyhead.errors import TrainingError
from polyhead.training.log import say

if TYPE_CHECKING:  # the command line knows Deserted, and needs no tensors for that
    from torch import Tensor

Value = TypeVar("Value")


class Deserted(TrainingError):
    """Another process of this run has ended, or can no longer be reached."""


class World(Protocol):
    """The processes of one run, seen from one of them."""

    @property
    def rank(self) -> int:
        """The number of this process, from 0. Process 0 alone writes files and messages."""
        ...

    @property
    def size(self) -> int:
        """How many processes there are."""
        ...

    @property
    def local_rank(self) -> int:
        """The number of this process among the processes on its machine, from 0."""
        ...

    @property
    def local_size(self) -> int:
        """How many processes there are on this process's machine."""
        ...

    def all_reduce(self, numbers: Sequence[float]) -> list[float]:
        """Numbers, of which every process gives equally many → their sums over all processes, in float64."""
        ...

    def all_reduce_(self, tensors: Sequence[Tensor]) -> None:
        """Replaces tensors by their sums over all processes, in place; all processes give the same shapes.

        Every process gets the same bits.
        """
        ...

    def broadcast(self, value: Value) -> Value:
        """The value of process 0."""
        ...

    def all_gather(self, value: Value) -> list[Value]:
        """The values of all processes, in the order of their ranks."""
        ...

    def broadcast_tensors(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The tensors of process 0, by name, on the CPU; what the other processes give is not looked at."""
        ...

    def is_to_stop(self) -> bool:
        """Whether what has launched the processes asks them to stop, or is gone and could not end or restart them."""
        ...

    def kept(self, numbers: Mapping[str, float]) -> None:
        """Notes that a checkpoint was written, where training stands as the numbers say; all processes note it."""
        ...

    def say(self, text: str) -> None:
        """Tells the user something. Process 0 does."""
        ...

    def begin(self) -> None:
        """Notes that this job begins a run. A restart of the processes doesn't make that forgotten."""
        ...

    def has_begun(self) -> bool:
        """Whether the same job has begun a run already, before its processes were restarted."""
        ...


@dataclass(frozen=True)
class Alone:
    """The world of a process that trains alone: every call gives back what it was given."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0
    local_size: int = 1

    def all_reduce(self, numbers: Sequence[float]) -> list[float]:
        return list(numbers)

    def all_reduce_(self, tensors: Sequence[Tensor]) -> None:
        pass

    def broadcast(self, value: Value) -> Value:
        return value

    def all_gather(self, value: Value) -> list[Value]:
        return [value]

    def broadcast_tensors(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return dict(tensors)

    def is_to_stop(self) -> bool:
        return False

    def kept(self, numbers: Mapping[str, float]) -> None:
        pass

    def say(self, text: str) -> None:
        say(text)

    def begin(self) -> None:
        pass

    def has_begun(self) -> bool:
        return False


ALONE = Alone()
"""The world of a command that was started by itself."""


def of_process_0(world: World, number: float) -> float:
    """The number that process 0 gives, in all processes: such as the time on its clock, by which a run ends."""
    return world.all_reduce([number if world.rank == 0 else 0.0])[0]
