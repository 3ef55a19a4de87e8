"""What a run keeps of its weights on disk: snapshots for the final average, and checkpoints to go on from."""

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from polyhead.errors import TrainingError
from polyhead.manifest import remove_listed
from polyhead.training.averaging import AveragingConfig, kept_snapshots, save_snapshot, snapshot_path
from polyhead.training.checkpoint import (
    PARTS,
    Progress,
    Write,
    checkpoint_path,
    checkpoints,
    load_progress,
    parts_of,
    save_checkpoint,
)

KEPT = 2
"""How many checkpoints stay: the newest, and the one before it, should the newest be damaged."""


@dataclass(frozen=True)
class Kept:
    """The files in `checkpoints` and `snapshots` of a run's directory, which both exist."""

    directory: Path
    averaging: AveragingConfig
    write: Write = save_checkpoint
    """What writes a checkpoint."""

    def save_snapshot(self, progress: Progress, weights: Mapping[str, Tensor], score: float) -> None:
        """Writes a snapshot of the weights and notes its score, and which snapshots the average will need."""
        save_snapshot(self.directory / "snapshots", progress.update, weights)
        note_score(progress, score, self.averaging)

    def save_checkpoint(self, progress: Progress, tensors: dict[str, Tensor]) -> None:
        """Writes a checkpoint, and only then deletes what nothing asks for any more."""
        self.write(self.directory / "checkpoints", progress, tensors)
        remove_older(self.directory, progress.update)

    def last_good(self) -> str:
        """Which checkpoint is the newest, in words."""
        found = checkpoints(self.directory / "checkpoints")
        return f"the last good checkpoint is {found[-1].name}" if found else "there is no checkpoint from before it"


def note_score(progress: Progress, score: float, averaging: AveragingConfig) -> None:
    """Notes the score of the newest snapshot, and which snapshots the final average will need."""
    scores = {**progress.scores, str(progress.update): score}
    kept = kept_snapshots(scores, averaging)
    progress.scores = {update: value for update, value in scores.items() if int(update) in kept}


def remove_older(directory: Path, update: int) -> None:
    """Deletes all checkpoints but that of an update and the one before it, and the snapshots that neither asks for.

    Checkpoints of later updates, which a resumed run passed over, go too.
    """
    found, newest = checkpoints(directory / "checkpoints"), checkpoint_path(directory / "checkpoints", update)
    kept = [path for path in found if path.name <= newest.name][-KEPT:]
    remove_listed(newest.parent, [path.name for path in found if path not in kept])
    named = {_folder(path) for path in kept}
    for folder in newest.parent.glob(f"*{PARTS}"):
        if folder.name not in named:
            shutil.rmtree(folder, ignore_errors=True)
    snapshots = directory / "snapshots"
    needed = {snapshot_path(snapshots, int(each)) for path in kept for each in _scores(path)}
    remove_listed(snapshots, [path.name for path in snapshots.glob("update-*.safetensors") if path not in needed])


def _folder(checkpoint: Path) -> str | None:
    """The name of the folder in which a checkpoint's tensors are; None where they are in its file, or it is damaged."""
    try:
        parts = parts_of(checkpoint)
    except TrainingError:
        return None
    return None if parts is None else parts.folder


def _scores(checkpoint: Path) -> Iterable[str]:
    """The updates whose snapshots a checkpoint asks for; of a damaged one none."""
    try:
        return load_progress(checkpoint).scores
    except TrainingError:
        return ()
