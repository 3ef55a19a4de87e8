"""Where an interrupted run goes on: at its newest checkpoint that is whole, with whole snapshots if there is one."""

from dataclasses import dataclass, replace
from pathlib import Path

from torch import Tensor

from polyhead.errors import ModelError, TrainingError
from polyhead.manifest import NotListedError
from polyhead.training.averaging import RunningMean, check_snapshot
from polyhead.training.checkpoint import Progress, checkpoint_path, checkpoints, load_checkpoint
from polyhead.training.kept import remove_older
from polyhead.training.log import Display
from polyhead.training.optimizer import Optimizer
from polyhead.training.state import check_tensors_of, take_up


@dataclass(frozen=True)
class _Candidate:
    """A checkpoint that can be gone on from."""

    progress: Progress
    tensors: dict[str, Tensor]
    damaged: dict[str, str]
    """Update of a snapshot that its final average needs and that can't be used → what is wrong with it."""


def restore(directory: Path, optimizer: Optimizer, mean: RunningMean | None, display: Display) -> Progress:
    """Puts the newest usable checkpoint below `directory` into optimizer and mean → its progress.

    Where there is no checkpoint at all, that is a run's beginning. A checkpoint that is damaged or doesn't fit is
    passed over for the one before it. Where no checkpoint has all its snapshots the newest is taken, and its final
    average is made without those. All of this is said.
    Raises TrainingError where there are checkpoints and none can be used, or where the list of snapshots is damaged.
    """
    found = checkpoints(directory / "checkpoints")
    if not found:
        return Progress()
    chosen = _choose(found, directory / "snapshots", optimizer, mean, display)
    if checkpoint_path(found[0].parent, chosen.progress.update) == found[-1]:
        remove_older(directory, chosen.progress.update)  # a kill may have come before they were deleted
    take_up(optimizer, mean, chosen.tensors)
    scores = {update: score for update, score in chosen.progress.scores.items() if update not in chosen.damaged}
    for problem in chosen.damaged.values():
        display.message(f"{problem}; the final average is made without it")
    display.message(f"resuming after update {chosen.progress.update}")
    return replace(chosen.progress, scores=scores)


def _choose(
    found: list[Path], snapshots: Path, optimizer: Optimizer, mean: RunningMean | None, display: Display
) -> _Candidate:
    """found: at least one checkpoint, oldest first."""
    usable: list[_Candidate] = []
    for path in reversed(found):
        try:
            progress, tensors = load_checkpoint(path)
            check_tensors_of(optimizer, mean, tensors)
        except TrainingError as error:
            if path == found[0] and not usable:
                raise
            display.message(f"{error}; trying the one before it")
            continue
        damaged = {} if mean is not None else _damaged(snapshots, progress)
        usable.append(_Candidate(progress, tensors, damaged))
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
