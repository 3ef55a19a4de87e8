"""What a run keeps of its weights on disk: snapshots for the final average, and checkpoints to go on from."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from polyhead.manifest import remove_listed
from polyhead.training.averaging import AveragingConfig, kept_snapshots, save_snapshot, snapshot_path
from polyhead.training.checkpoint import Progress, checkpoints, save_checkpoint


@dataclass(frozen=True)
class Kept:
    """The files in `checkpoints` and `snapshots` of a run's directory, which both exist."""

    directory: Path
    averaging: AveragingConfig

    def save_snapshot(self, progress: Progress, weights: Mapping[str, Tensor], score: float) -> None:
        """Writes a snapshot of the weights and notes its score, and which snapshots the average will need."""
        save_snapshot(self.directory / "snapshots", progress.update, weights)
        scores = {**progress.scores, str(progress.update): score}
        kept = kept_snapshots(scores, self.averaging)
        progress.scores = {update: value for update, value in scores.items() if int(update) in kept}

    def save_checkpoint(self, progress: Progress, tensors: dict[str, Tensor]) -> None:
        """Writes a checkpoint, and only then deletes the snapshots that no checkpoint asks for any more."""
        save_checkpoint(self.directory / "checkpoints", progress, tensors)
        directory = self.directory / "snapshots"
        needed = {snapshot_path(directory, int(update)) for update in progress.scores}
        remove_listed(directory, [path.name for path in directory.glob("update-*.safetensors") if path not in needed])

    def last_good(self) -> str:
        """Which checkpoint is the newest, in words."""
        found = checkpoints(self.directory / "checkpoints")
        return f"the last good checkpoint is {found[-1]}" if found else "there is no checkpoint from before it"
