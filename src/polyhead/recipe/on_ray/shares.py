"""How a Ray cluster is divided among the workers of a training."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from polyhead.errors import PolyheadError, counted
from polyhead.recipe.on_ray.config import RayConfig


@dataclass(frozen=True)
class Machine:
    """The resources of a machine that Ray can give to workers."""

    cpus: int
    gpus: int

    def room(self, cpus: int, gpus: int) -> int:
        """How many workers with so many CPUs and GPUs each fit on the machine."""
        return min(self.cpus // cpus, self.gpus // gpus) if gpus else self.cpus // cpus


@dataclass(frozen=True)
class Shares:
    """How many workers there are, and what each has."""

    workers: int
    cpus: int
    gpus: int

    def __str__(self) -> str:
        gpus = f" and {counted(self.gpus, 'GPU')}" if self.gpus else ""
        return f"{counted(self.workers, 'worker')} with {counted(self.cpus, 'CPU')}{gpus} each"


def machines_of(nodes: Iterable[dict[str, Any]]) -> list[Machine]:
    """The machines among Ray's nodes that are alive; some of them may have no resources to give."""
    there = [node.get("Resources", {}) for node in nodes if node.get("Alive")]
    return [Machine(int(each.get("CPU", 0)), int(each.get("GPU", 0))) for each in there]


def divide(machines: Sequence[Machine], config: RayConfig) -> Shares:
    """What each worker gets. Raises PolyheadError where the cluster is too small for what is asked of it.

    Whether other work takes a part of the cluster at the moment doesn't matter here.
    """
    workers = config.workers or _as_many(machines, config)
    gpus = config.gpus
    if gpus is None:
        gpus = 1 if _room(machines, config.cpus or 1, 1) >= workers else 0
    cpus = config.cpus or _largest(machines, workers, gpus)
    shares, room = Shares(workers, cpus, gpus), _room(machines, cpus, gpus)
    if room < workers:
        has = f"{counted(sum(each.cpus for each in machines), 'CPU')} and {sum(each.gpus for each in machines)} GPUs"
        raise PolyheadError(
            f"the Ray cluster has room for {room} of {shares}, as it has {has} on {counted(len(machines), 'machine')}: "
            "lower --ray-workers, --ray-cpus or --ray-gpus, or add machines first"
        )
    return shares


def _as_many(machines: Sequence[Machine], config: RayConfig) -> int:
    """How many workers to start: one for each GPU, or for each machine if there are no GPUs, and at least one."""
    gpus = 0 if config.gpus == 0 else _room(machines, config.cpus or 1, 1)
    return gpus or max(1, sum(each.room(config.cpus or 1, 0) > 0 for each in machines))


def _largest(machines: Sequence[Machine], workers: int, gpus: int) -> int:
    """The most CPUs that each worker can have; 1 where the workers don't fit at all."""
    most = max((each.cpus for each in machines), default=1)
    return next((cpus for cpus in range(most, 1, -1) if _room(machines, cpus, gpus) >= workers), 1)


def _room(machines: Sequence[Machine], cpus: int, gpus: int) -> int:
    return sum(each.room(cpus, gpus) for each in machines)
