"""Where an interrupted run goes on: at its newest checkpoint that is whole, with whole snapshots if there is one."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from torch import Tensor

from polyhead.errors import ModelError, TrainingError
from polyhead.manifest import NotListedError
from polyhead.training.averaging import RunningMean, check_snapshot
from polyhead.training.checkpoint import Load, Progress, checkpoint_path, checkpoints
from polyhead.training.kept import remove_older
from polyhead.training.log import Display
from polyhead.training.optimizer import Optimizer
from polyhead.training.state import check_tensors_of


@dataclass(frozen=True)
class Start:
    """Where a run begins, or goes on."""

    progress: Progress = field(default_factory=Progress)
    path: Path | None = None
    """The checkpoint to go on from, if there is one."""
    tensors: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    """The tensors that were loaded from the checkpoint."""


@dataclass(frozen=True)
class _Candidate:
    """A checkpoint that can be gone on from."""

    start: Start
    damaged: dict[str, str]
    """For each snapshot that the final average needs and that can't be used: its update → what is wrong with it."""


def choose_checkpoint(
    directory: Path, load: Load, optimizer: Optimizer, mean: RunningMean | None, display: Display
) -> Start:
    """The newest checkpoint below `directory` that can be used for optimizer and mean, which stay as they are.

    Where there is no checkpoint at all, the run starts at its beginning. A checkpoint that is damaged or doesn't fit is
    passed over for the one before it. Where no checkpoint has all its snapshots the newest is taken, and its final
    average is made without those that can't be used. All of this is said.
    Raises TrainingError where there are checkpoints and none can be used, or where the list of snapshots is damaged.
    """
    found = checkpoints(directory / "checkpoints")
    if not found:
        return Start()
    chosen = _choose(found, directory / "snapshots", load, optimizer, mean, display)
    progress = chosen.start.progress
    if checkpoint_path(found[0].parent, progress.update) == found[-1]:
        remove_older(directory, progress.update)  # a kill may have come before they were deleted
    scores = {update: score for update, score in progress.scores.items() if update not in chosen.damaged}
    for problem in chosen.damaged.values():
        display.message(f"{problem}; the final average is made without it")
    display.message(f"resuming after update {progress.update}")
    return replace(chosen.start, progress=replace(progress, scores=scores))


def _choose(
    found: list[Path],
    snapshots: Path,
    load: Load,
    optimizer: Optimizer,
    mean: RunningMean | None,
    display: Display,
) -> _Candidate:
    """The checkpoint that `choose_checkpoint` goes on from. found: at least one checkpoint, oldest first"""
    usable: list[_Candidate] = []
    for path in reversed(found):
        try:
            progress, tensors = load(path)
            check_tensors_of(optimizer, mean, tensors)
        except TrainingError as error:
            if path == found[0] and not usable:
                raise
            display.message(f"{error}; trying the one before it" if path != found[0] else f"{error}; it is not used")
            continue
        damaged = {} if mean is not None else _damaged(snapshots, progress)
        usable.append(_Candidate(Start(progress, path, tensors), damaged))
        if not damaged:
            break
        if path != found[0]:
            display.message(f"{next(iter(damaged.values()))}; trying the checkpoint before it")
    return min(usable, key=lambda each: bool(each.damaged))


def _damaged(snapshots: Path, progress: Progress) -> dict[str, str]:
    found: dict[str, str] = {}
    for update in progress.scores:
        try:
            check_snapshot(snapshots, int(update))
        except NotListedError as error:
            raise TrainingError(str(error)) from error
        except ModelError as error:
            found[update] = str(error)
        except OSError as error:
            found[update] = f"the snapshot of update {update} cannot be read: {error}"
    return found
