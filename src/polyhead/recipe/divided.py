"""A model that is divided among the processes of a run: what makes its updates, its scores and its checkpoints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import torch
from torch import Tensor

from polyhead.bundle.bundle import Bundle
from polyhead.errors import TrainingError
from polyhead.files import UNFINISHED, atomic_directory
from polyhead.manifest import digest_of, list_as
from polyhead.memory.freed import return_at_once
from polyhead.recipe.arrangement import Arrangement, check_arithmetic
from polyhead.recipe.assemble import Parts
from polyhead.recipe.folders import CHECKPOINTS
from polyhead.recipe.restore import Start
from polyhead.recipe.schema import Recipe
from polyhead.refusals import write_errors
from polyhead.training import checkpoint
from polyhead.training.averaging import RunningMean
from polyhead.training.checkpoint import Progress, parts_of, save_checkpoint_of_parts
from polyhead.training.judging import Judge, Part, Weights
from polyhead.training.log import Display
from polyhead.training.optimizer import Optimizer
from polyhead.training.precision import SEVERAL_CORES, choose_arithmetic
from polyhead.training.process_group import ProcessGroup, answered
from polyhead.training.sharded.differentiation import ShardedDifferentiation
from polyhead.training.sharded.files import write_parts
from polyhead.training.sharded.model import divide
from polyhead.training.sharded.rows import as_parts, rows_in_file, rows_in_parts
from polyhead.training.sharded.shards import Shards
from polyhead.training.state import take_up


def divided(parts: Parts, recipe: Recipe, device: torch.device, display: Display, world: ProcessGroup) -> Arrangement:
    """The arrangement in which every process holds some rows of each weight, and writes them to every checkpoint.

    Raises TrainingError, in all processes, where they don't see the run's directory that process 0 sees.
    """
    config, checkpoints = recipe.training, recipe.out / CHECKPOINTS
    arithmetic = choose_arithmetic(config.precision, device, parts.model, SEVERAL_CORES)
    check_arithmetic(world, arithmetic)
    check_shared(world, checkpoints)
    if device.type == "cpu":
        return_at_once()
    display.message(f"precision: {arithmetic}, the model divided among {world.size} processes")
    loss, shards = divide(parts.model, config.label_smoothing, arithmetic.dtype, world, device)
    optimizer = Optimizer(parts.model, config.optimizer, arithmetic.dtype, shards)

    def take(start: Start, mean: RunningMean | None) -> None:
        name, described = world.broadcast((None if start.path is None else start.path.name, start.tensors))
        if name is not None:
            take_up(optimizer, mean, _rows(checkpoints / name, described, shards, device))

    def write(directory: Path, progress: Progress, tensors: Mapping[str, Tensor]) -> None:
        write_checkpoint(shards, directory, progress, tensors)

    return Arrangement(
        optimizer,
        ShardedDifferentiation(loss, optimizer, world, device),
        Forgetting(parts.validator, parts.bundle),
        checkpoint.describe_checkpoint,
        take,
        write,
        others_write=True,
    )


@dataclass(frozen=True)
class Forgetting:
    """A judge that frees the whole weights after each use, as they are too large to be kept."""

    judge: Judge
    bundle: Bundle
    """The bundle whose model the judge fills with the weights."""

    def part(self, weights: Weights) -> Part:
        try:
            return self.judge.part(weights)
        finally:
            for parameter in self.bundle.model.parameters():
                parameter.data = torch.empty(0)

    def scores(self, parts: Sequence[Part]) -> dict[str, float]:
        return self.judge.scores(parts)


def check_shared(world: ProcessGroup, directory: Path) -> None:
    """Raises TrainingError, in all processes, where one of them doesn't see what process 0 makes in a directory."""
    name = world.broadcast(f".{token_hex(4)}{UNFINISHED}")
    if world.rank == 0:
        with write_errors(directory):
            (directory / name).mkdir()
    world.all_gather(None)
    seen = world.all_gather((directory / name).is_dir())
    if world.rank == 0:
        (directory / name).rmdir()
    _check_seen(seen, directory)


def write_checkpoint(shards: Shards, directory: Path, progress: Progress, tensors: Mapping[str, Tensor]) -> None:
    """Writes what each process holds into a folder, and then, in process 0, the file that makes a checkpoint of it."""
    world, parts = shards.world, as_parts(shards, tensors)
    if world.rank > 0:
        _write_parts(world, Path(world.broadcast("")), parts)
        return
    name = f"update-{progress.update:08d}.{token_hex(4)}{checkpoint.PARTS}"
    with atomic_directory(directory / name) as folder:
        digests = _write_parts(world, Path(world.broadcast(str(folder))), parts)
        list_as(folder, digests)
    save_checkpoint_of_parts(directory, progress, checkpoint.Parts(folder=name, files=len(digests)))


def _write_parts(world: ProcessGroup, folder: Path, parts: Mapping[str, Tensor]) -> dict[str, str]:
    """Writes this process's parts into a folder that process 0 has made → the digests of all files in it."""
    _check_seen(world.all_gather(folder.is_dir()), folder)
    with answered(), write_errors(folder):
        write_parts(folder, parts, world.group_of(torch.device("cpu")))
    own = sorted(folder.glob("*.safetensors"))[world.rank :: world.size]
    found = world.all_gather({path.name: digest_of(path) for path in own})
    return {name: digest for digests in found for name, digest in digests.items()}


def _check_seen(seen: list[bool], directory: Path) -> None:
    if not all(seen):
        raise TrainingError(
            f"process {seen.index(False)} doesn't see {directory}, where process 0 writes; a divided model needs a "
            "directory that all machines share, at the same path"
        )


def _rows(path: Path, described: dict[str, Tensor], shards: Shards, device: torch.device) -> dict[str, Tensor]:
    """What this process holds of the tensors of a checkpoint that process 0 has looked at."""
    parts = parts_of(path)
    if parts is None:
        return rows_in_file(path, described, shards, device)
    return rows_in_parts(path.parent / parts.folder, described, shards, device)
