"""Several processes that train one model, by `torch.distributed`: gloo between CPUs, NCCL between GPUs."""

# PyTorch documents its stores as torch.distributed's, but its types say otherwise:
# pyright: reportPrivateImportUsage=false

import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar, cast

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.device_mesh import DeviceMesh

from polyhead.errors import TrainingError, shortened
from polyhead.training.log import say
from polyhead.training.place import Place
from polyhead.training.rendezvous import rendezvous
from polyhead.training.world import Deserted

PATIENCE = timedelta(hours=2)
"""How long a process waits for the others: process 0 may have a large corpus to clean. A process that ends is noticed
at once; this time is for one that hangs, or whose machine is gone without a word."""
FINDING = timedelta(minutes=5)
"""How long a process tries to reach the store by which the processes find each other."""
BUCKET = 32 << 20
"""Bytes of the tensors that are summed together: many small ones would each wait for the network."""
BEGUN = "polyhead/begun"
"""The key of the store that says that this job has begun a run."""
_TALKING = "gloo/", "NCCL"
"""Words in the errors of the libraries that send: gloo raises its errors as plain RuntimeErrors."""

Value = TypeVar("Value")


class ProcessGroup:
    """The processes that a launcher has started together."""

    def __init__(self, place: Place) -> None:
        """Waits until all processes are there. Raises TrainingError where they do not find each other.

        Where whoever launched the processes has initialised torch.distributed already, it is used as it is.
        """
        self.rank, self.size = place.rank, place.size
        self.local_rank, self.local_size = place.local_rank, place.local_size
        try:
            self._store = store_of(place, FINDING)
            self._made_here = not dist.is_initialized()
            if self._made_here:
                own = dist.PrefixStore(
                    f"polyhead/{rendezvous(self._store, self.rank, self.size, PATIENCE)}", self._store
                )
                dist.init_process_group("gloo", store=own, rank=self.rank, world_size=self.size, timeout=PATIENCE)
            self._group: Any = None if self._made_here else dist.new_group(backend="gloo", timeout=PATIENCE)
        except (RuntimeError, ValueError) as error:
            raise TrainingError(
                f"process {self.rank} of {self.size} does not find the others at {place.address}:{place.port}: "
                f"{_reason(error)}; between machines this port must be open, and GLOO_SOCKET_IFNAME may have to name "
                "the network"
            ) from error
        self._launcher = os.getppid() if place.store_is_there else None
        self._devices = self._group_of_devices()

    def all_reduce(self, numbers: Sequence[float]) -> list[float]:
        total = torch.tensor(numbers, dtype=torch.float64)
        with answered():
            dist.all_reduce(total, group=self._group)
        return cast("list[float]", total.tolist())

    def all_reduce_(self, tensors: Sequence[Tensor]) -> None:
        waiting: list[tuple[list[Tensor], Tensor, Any]] = []
        for some in _buckets(tensors):
            flat = torch.cat([each.reshape(-1) for each in some])
            with answered():
                group = self.group_of(flat.device)
                waiting.append((some, flat, cast(Any, dist.all_reduce(flat, group=group, async_op=True))))
        for some, flat, sent in waiting:
            with answered():
                sent.wait()
            start = 0
            for each in some:
                each.copy_(flat[start : start + each.numel()].view_as(each))
                start += each.numel()

    def broadcast(self, value: Value) -> Value:
        values = [value if self.rank == 0 else None]
        with answered():
            dist.broadcast_object_list(values, src=0, group=self._group, device=torch.device("cpu"))
        return cast(Value, values[0])

    def all_gather(self, value: Value) -> list[Value]:
        values: list[Value | None] = [None] * self.size
        with answered():
            dist.all_gather_object(values, value, group=self._group)
        return cast("list[Value]", values)

    def broadcast_tensors(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        described = self.broadcast({name: (tuple(each.shape), each.dtype) for name, each in tensors.items()})
        found: dict[str, Tensor] = {}
        for name, (shape, dtype) in described.items():
            here = tensors[name].detach().cpu().contiguous() if self.rank == 0 else torch.empty(shape, dtype=dtype)
            with answered():
                dist.broadcast(here, src=0, group=self._group)
            found[name] = here
        return found

    def all_to_all(self, sent: Sequence[Tensor], sizes: Sequence[int]) -> list[Tensor]:
        """Sends a flat tensor to each process → the tensors that the processes sent to this one, of the sizes given.

        All tensors are of one dtype, on one device.
        """
        received = torch.empty(sum(sizes), dtype=sent[0].dtype, device=sent[0].device)
        with answered():
            group = self.group_of(received.device)
            dist.all_to_all_single(received, torch.cat(list(sent)), list(sizes), [len(each) for each in sent], group)
        return list(torch.split(received, list(sizes)))

    def group_of(self, device: torch.device) -> Any:
        """PyTorch's process group for tensors of a device: gloo's for tensors on CPUs, NCCL's for all others."""
        if device.type != "cpu":
            return self._devices
        return dist.group.WORLD if self._group is None else self._group

    def mesh(self, device: torch.device) -> DeviceMesh:
        """The one-dimensional DeviceMesh of all processes, among which tensors of a device are divided."""
        return DeviceMesh.from_group(self.group_of(device), device.type)

    def is_to_stop(self) -> bool:
        return self._launcher is not None and os.getppid() != self._launcher

    def kept(self, numbers: Mapping[str, float]) -> None:
        pass

    def say(self, text: str) -> None:
        say(text)

    def begin(self) -> None:
        with answered():
            self._store.set(BEGUN, "yes")

    def has_begun(self) -> bool:
        with answered():
            return bool(self._store.check([BEGUN]))

    def close(self) -> None:
        """Waits for all processes to call this, then leaves the group.

        A process that left earlier would seem lost to the others. One that ends with an error must not call this: the
        others might never come.
        """
        with answered():
            dist.barrier(group=self._group)
        if self._made_here:
            dist.destroy_process_group()

    def _group_of_devices(self) -> Any:
        """NCCL's group of the GPUs; None where no process has one. Raises TrainingError where there are too few."""
        found = self.all_gather((torch.cuda.device_count(), self.local_size))
        if not any(devices for devices, _ in found):
            return None
        for rank, (devices, processes) in enumerate(found):
            if devices < processes:
                raise TrainingError(
                    f"there are {processes} processes and {devices} GPUs on the machine of process {rank}: each "
                    "process needs a GPU of its own; start as many with --nproc-per-node, or train on CPUs with "
                    "CUDA_VISIBLE_DEVICES="
                )
        torch.cuda.set_device(self.local_rank)
        return dist.new_group(backend="nccl")


def store_of(place: Place, patience: timedelta) -> dist.TCPStore:
    """The store that the processes share. Raises RuntimeError where it cannot be reached."""
    own = not place.store_is_there and place.rank == 0
    # multi_tenant: where whoever launched this process has opened a store at this port in it already, it is shared
    return dist.TCPStore(
        place.address, place.port, is_master=own, wait_for_workers=False, timeout=patience, multi_tenant=True
    )


@contextmanager
def answered() -> Generator[None]:
    """Within the block, which only talks to other processes, a RuntimeError becomes Deserted: they do not answer."""
    try:
        yield
    except RuntimeError as error:
        raise _deserted(error) from error


@contextmanager
def answered_while_computing() -> Generator[None]:
    """Within the block, which also computes, errors of communication become Deserted; other errors stay."""
    try:
        yield
    except RuntimeError as error:
        if isinstance(error, dist.DistError) or any(words in str(error) for words in _TALKING):
            raise _deserted(error) from error
        raise


def _deserted(error: Exception) -> Deserted:
    return Deserted(
        f"another process of this run has ended or cannot be reached ({_reason(error)}), so training stopped here; "
        "go on with --resume from the last checkpoint, as torchrun does by itself with --max-restarts"
    )


def _reason(error: Exception) -> str:
    """The first sentence of an error of PyTorch, without the place in PyTorch's sources that it names."""
    said = str(error).partition("\n")[0].partition(". This")[0]
    return shortened(said.rpartition("] ")[2] if said.startswith("[") and "] " in said else said, 80)


def _buckets(tensors: Iterable[Tensor]) -> Generator[list[Tensor]]:
    """The tensors in groups of one dtype and device, each of about `BUCKET` bytes or of one larger tensor."""
    kinds: dict[tuple[torch.dtype, torch.device], list[Tensor]] = {}
    for tensor in tensors:
        kinds.setdefault((tensor.dtype, tensor.device), []).append(tensor)
    for alike in kinds.values():
        some: list[Tensor] = []
        size = 0
        for tensor in alike:
            if some and size + tensor.nbytes > BUCKET:
                yield some
                some, size = [], 0
            some.append(tensor)
            size += tensor.nbytes
        yield some
