"""The division in which every process holds some rows of each weight: those that FSDP2 gives it."""

import math
from collections.abc import Mapping, Sequence
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
        """Whole stacks are dealt out, the largest first, one at a time to each process."""
        order = sorted(range(len(stacks)), key=lambda number: -self.shapes[stacks[number].name].numel())
        found: dict[int, Tensor] = {}
        for start in range(0, len(order), self.world.size):
            some = order[start : start + self.world.size]
            found |= zip(some, self._made([stacks[number] for number in some], make), strict=True)
        return [found[number] for number in range(len(stacks))]

    def _made(self, stacks: Sequence[Stack], make: Make) -> list[Tensor]:
        """`made` for at most one stack a process: each applies `make` to the one of its rank, and sends rows back."""
        everyone = range(self.world.size)
        held = [stack.held.float().reshape(-1) for stack in stacks]
        none = held[0][:0]
        sent = [held[rank] if rank < len(held) else none for rank in everyone]
        own = stacks[self.world.rank] if self.world.rank < len(stacks) else None
        came = self.world.all_to_all(sent, [0 if own is None else self._numbers_of(rank, own) for rank in everyone])
        back = [none for _ in everyone]
        if own is not None:
            step = self._step(own, came, make)
            back = [step[self.rows(own.name, rank)].reshape(-1) for rank in everyone]
        got = self.world.all_to_all(back, [each.numel() for each in sent])
        return [part.view_as(stack.held) for part, stack in zip(got, stacks, strict=False)]

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
