"""The division in which every process holds some rows of each weight: those that FSDP2 gives it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Shard

from polyhead.training.division import HeldWeights, Make, Stack
from polyhead.training.judging import Weights
from polyhead.training.process_group import ProcessGroup, answered


@dataclass(frozen=True)
class Shards:
    """What each process of a world holds of the weights of a model that FSDP2 has divided.

    Rows are dealt out in order: ⌈rows / processes⌉ to each as long as there are any, so the last may have none.
    """

    world: ProcessGroup
    mesh: DeviceMesh
    """The processes, on the device that they compute on."""
    shapes: Mapping[str, torch.Size]
    """Name → shape of the whole weight."""

    def rows(self, name: str, rank: int) -> slice:
        """Which rows of a weight a process holds."""
        count = self.shapes[name][0]
        each = -(-count // self.world.size)
        return slice(min(count, rank * each), min(count, (rank + 1) * each))

    def hold(self, model: nn.Module, dtype: torch.dtype) -> HeldWeights:
        """The masters are the model's own weights, of which FSDP2 makes copies in the dtype by itself."""
        with torch.no_grad():
            held = {name: cast(DTensor, parameter).to_local() for name, parameter in model.named_parameters()}
        return HeldWeights(held, {})

    def norm(self, held: Tensor) -> Tensor:
        return torch.tensor(math.sqrt(self.world.all_reduce([float(held) ** 2])[0]))

    def made(self, stacks: Sequence[Stack], make: Make) -> list[Tensor]:
        """Whole stacks are dealt out, the largest first; each process applies `make` to its own and sends rows back."""
        everyone = range(self.world.size)
        order = sorted(range(len(stacks)), key=lambda number: -self.shapes[stacks[number].name].numel())
        owned = [order[rank :: self.world.size] for rank in everyone]
        own = [stacks[number] for number in owned[self.world.rank]]
        held = [stack.held.float().reshape(-1) for stack in stacks]
        sizes = [[self._numbers_of(rank, stack) for stack in own] for rank in everyone]
        came = self.world.all_to_all(
            [_joined(held[0], (held[number] for number in numbers)) for numbers in owned], [sum(each) for each in sizes]
        )
        pieces = [torch.split(part, each) for part, each in zip(came, sizes, strict=True)]
        steps = [self._step(stack, [part[place] for part in pieces], make) for place, stack in enumerate(own)]
        back = [
            _joined(held[0], (step[self.rows(stack.name, rank)] for stack, step in zip(own, steps, strict=True)))
            for rank in everyone
        ]
        sizes = [[held[number].numel() for number in numbers] for numbers in owned]
        found: dict[int, Tensor] = {}
        for numbers, part, each in zip(owned, self.world.all_to_all(back, list(map(sum, sizes))), sizes, strict=True):
            found |= zip(numbers, torch.split(part, each), strict=True)
        return [found[number].view_as(stack.held) for number, stack in enumerate(stacks)]

    def check_alike(self, weights: Weights, update: int) -> None:
        """Does nothing: each process holds rows of its own, so that there is nothing to compare."""

    def whole(self, held: Weights) -> Weights:
        """Whole weights by name, on the CPU; they are put together on the device, one after the other."""
        found: dict[str, Tensor] = {}
        with answered():
            for name, part in held.items():
                found[name] = self.described(name, part.detach()).full_tensor().cpu()
        return found

    def described(self, name: str, held: Tensor) -> DTensor:
        """What this process holds of a weight, or of something divided like it → the DTensor that this is a part of."""
        shape = self.shapes[name]
        stride = torch.empty(shape, device="meta").stride()
        return DTensor.from_local(held, self.mesh, [Shard(0)], run_check=False, shape=shape, stride=stride)

    def _numbers_of(self, rank: int, stack: Stack) -> int:
        """How many numbers of a stack a process holds."""
        rows, columns = self.rows(stack.name, rank), self.shapes[stack.name][1]
        return (rows.stop - rows.start) * columns

    def _step(self, stack: Stack, pieces: Sequence[Tensor], make: Make) -> Tensor:
        """What each process holds of a stack, flat → what is made of the whole one, [rows, columns]."""
        maps = torch.cat(list(pieces)).view(self.shapes[stack.name]).chunk(stack.maps)
        return torch.cat(list(make(maps)))


def _joined(like: Tensor, parts: Iterable[Tensor]) -> Tensor:
    """Any number of tensors as one flat one, of the dtype and on the device of another tensor."""
    return torch.cat([like[:0], *(part.reshape(-1) for part in parts)])
