"""What each worker of Ray Train does, which is the same as what a process does that torchrun has started."""

import gc
import os
import socket
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import torch.distributed as dist

from polyhead.cores import take_cores
from polyhead.errors import PolyheadError, TrainingError
from polyhead.memory.freed import out_of_memory
from polyhead.recipe.follow import follow
from polyhead.recipe.load import Values
from polyhead.recipe.on_ray.world import RayWorld
from polyhead.recipe.record import started
from polyhead.recipe.train import train
from polyhead.training.place import Place
from polyhead.training.world import Deserted


@dataclass(frozen=True)
class Job:
    """What all workers are told."""

    values: Values
    """The recipe's tables."""
    resume: bool
    folder: str
    """The directory in which the command was given, from which relative paths start."""
    out: Path
    """The absolute path of the model directory."""
    cpus: int
    """The CPUs that Ray has given to each worker."""
    copies: bool
    """Whether Ray gets a copy of the model directory with every checkpoint."""
    restarts: int
    """How often the workers are started again at most."""
    board: Any
    """Ray's handle of the actor `Board`."""


def work(config: Mapping[str, Job]) -> None:
    """Trains as one of the workers. An error that a restart would meet again is told to the board, and isn't raised.

    Raises Deserted where another worker was lost: Ray Train then starts all of them again.
    """
    job = config["job"]
    ray: Any = import_module("ray")
    try:
        _train(job, ray)
        return
    except Deserted:
        if not ray.get(job.board.is_refused.remote()):
            raise
    except Exception as error:
        ray.get(job.board.refuse.remote(_sendable(error)))
    _leave()


def _train(job: Job, ray: Any) -> None:
    place = Place.of()
    if place is None:
        raise TrainingError("Ray Train has not said which worker this is: polyhead needs Ray 2.51 or newer")
    _enter(job.folder)
    take_cores(job.cpus, place.local_size)
    world = RayWorld(place, job.board, job.out if job.copies else None)
    if place.rank > 0:
        follow(world)
        world.close()
        return
    start = ray.get(job.board.start.remote())
    if start > 1:
        world.say(f"a worker was lost: all are started again, time {start - 1} of {job.restarts}")
        _check_place(job, ray)
    finished = train(job.values, resume=job.resume, world=world).finished
    world.close()
    ray.get(job.board.end.remote(finished))


def _check_place(job: Job, ray: Any) -> None:
    """Raises TrainingError where the run that is to be gone on with isn't on this machine."""
    if ray.get(job.board.has_kept.remote()) and not started(job.out):
        raise TrainingError(
            f"the machine {socket.gethostname()}, which goes on as worker 0, has no model directory {job.out}: put it "
            "on a path that all machines of the cluster reach, and go on with --resume"
        )


def _enter(folder: str) -> None:
    try:
        os.chdir(folder)
    except OSError as error:
        raise PolyheadError(
            f"the machine {socket.gethostname()} of the Ray cluster has no directory {folder}: give the command in one "
            "that all machines reach under the same path, as they must reach the corpora and the model directory"
        ) from error


def _sendable(error: Exception) -> Exception:
    """An error that can be sent to another process, with all that decides how the command ends there."""
    if isinstance(error, PolyheadError):
        return PolyheadError(str(error))
    if isinstance(error, OSError):
        return OSError(*error.args) if error.filename is None else OSError(error.errno, error.strerror, error.filename)
    if out_of_memory(error):
        return MemoryError()
    return RuntimeError("".join(traceback.format_exception(error)))


def _leave() -> None:
    """Leaves the group of processes. The other workers notice that at once, and don't wait for this one."""
    gc.collect()  # a group of processes is left when nobody holds it any more
    if dist.is_initialized():
        dist.destroy_process_group()
