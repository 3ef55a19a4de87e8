"""How the numbers of a model are divided among the processes that train it: here every process has all of them."""

# PyTorch's kernels over lists of tensors have no public names:
# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from polyhead.training.alike import check_alike
from polyhead.training.judging import Weights
from polyhead.training.world import ALONE, World


class HeldWeights(NamedTuple):
    """What a process holds of a model's weights, by name."""

    weights: dict[str, Tensor]
    """The weights in float32, to be stepped in place."""
    copies: dict[str, Tensor]
    """Copies of `weights` in the dtype that the model computes in, to be updated after each step; empty if unneeded."""


class Stack(NamedTuple):
    """A matrix whose rows are those of linear maps of one size, one map below the other."""

    name: str
    """The name of the weight that the matrix belongs to."""
    held: Tensor
    """What this process holds of the matrix."""
    maps: int


Make = Callable[[Sequence[Tensor]], Tensor]
"""N matrices [rows, columns] of one shape → N matrices [N, rows, columns], the n-th computed from the n-th."""


class Division(Protocol):
    """What each process holds of weights, gradients, moments and means. All processes make the same calls."""

    def hold(self, model: nn.Module, dtype: torch.dtype) -> HeldWeights:
        """What this process holds of the weights of a model, which computes in the dtype from now on."""
        ...

    def norm(self, held: Tensor) -> Tensor:
        """The Euclidean norm of what this process holds → the norm of everything, each number counted once."""
        ...

    def made(self, stacks: Sequence[Stack], make: Make) -> list[Tensor]:
        """Applies `make` to every map of the whole stacks → what this process holds of the results, in float32.

        As `make` is most of the work, each process computes some of the maps. The stacks' own memory may be written to.
        """
        ...

    def check_alike(self, weights: Weights, update: int) -> None:
        """Raises TrainingError, in all processes, where what should be the same in all of them is not."""
        ...

    def whole(self, held: Weights) -> Weights:
        """What this process holds of each weight, by name → whole weights, in every process."""
        ...


@dataclass(frozen=True)
class Replicated:
    """Every process holds everything."""

    world: World = ALONE

    def hold(self, model: nn.Module, dtype: torch.dtype) -> HeldWeights:
        working = dict[str, Tensor](model.named_parameters())
        if dtype == torch.float32:
            return HeldWeights(working, {})
        masters = dict[str, Tensor](
            {name: nn.Parameter(parameter.detach().float().clone()) for name, parameter in working.items()}
        )
        model.to(dtype)
        return HeldWeights(masters, working)

    def norm(self, held: Tensor) -> Tensor:
        return held

    def made(self, stacks: Sequence[Stack], make: Make) -> list[Tensor]:
        """Each process sets the maps that others compute to 0; sums over all processes then give every map to each."""
        parts = [part for stack in stacks for part in stack.held.chunk(stack.maps)]
        order = sorted(parts, key=lambda part: part.shape)
        for _, some in groupby(order[self.world.rank :: self.world.size], key=lambda part: part.shape):
            alike = list(some)
            torch._foreach_copy_(alike, list(make(alike)))
        for number, part in enumerate(order):
            if number % self.world.size != self.world.rank:
                part.zero_()
        self.world.all_reduce_(parts)
        return [stack.held for stack in stacks]

    def check_alike(self, weights: Weights, update: int) -> None:
        check_alike(self.world, weights, update)

    def whole(self, held: Mapping[str, Tensor]) -> Weights:
        return held


UNDIVIDED = Replicated()
"""The division for a process that trains alone."""
