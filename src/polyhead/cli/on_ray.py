"""The options of `polyhead train` that spread a training over a Ray cluster."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from cyclopts import Parameter

from polyhead.cli.numbers import Gpus, Threads, Times
from polyhead.cli.usage import UsageError

if TYPE_CHECKING:
    from polyhead.recipe.on_ray.config import RayConfig


@Parameter(name="*")
@dataclass(frozen=True)
class OnRay:
    """Whether Ray trains, and with how much of its cluster."""

    ray: bool = False
    """Let Ray Train start the processes that train together, on the machines of its cluster."""
    ray_workers: Threads | None = None
    """How many processes train; if left out, one for each GPU of the cluster, or for each machine if it has none."""
    ray_cpus: Threads | None = None
    """CPUs of each process; if left out, as many as all processes can have."""
    ray_gpus: Gpus | None = None
    """GPUs of each process, 1 or 0; if left out, 1 where there are enough."""
    ray_storage: str | None = None
    """Copy the model directory there with every checkpoint: a directory that all machines reach, or s3://…, gs://…."""
    ray_restarts: Times | None = None
    """How often all processes are started again after one was lost; 3 if left out."""

    def check(self) -> None:
        """Raises UsageError where --ray is missing, or where another launcher has started this process already."""
        from polyhead.training.place import Place

        given = [field.name for field in fields(self) if field.name != "ray" and getattr(self, field.name) is not None]
        if given and not self.ray:
            raise UsageError(f"--{given[0].replace('_', '-')} is for training on Ray: give --ray as well")
        if self.ray and Place.of() is not None:
            raise UsageError("--ray starts the processes itself: leave out torchrun, or unset RANK and WORLD_SIZE")

    @property
    def config(self) -> RayConfig:
        """The settings that the options give."""
        from polyhead.recipe.on_ray.config import RayConfig

        given = {
            "workers": self.ray_workers,
            "cpus": self.ray_cpus,
            "gpus": self.ray_gpus,
            "storage": self.ray_storage,
            "restarts": self.ray_restarts,
        }
        return RayConfig.model_validate({name: value for name, value in given.items() if value is not None})
