"""What a run writes: metrics, snapshots, checkpoints, the best weights so far. Of several processes one writes."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from torch import Tensor

from polyhead.training.averaging import AveragingConfig
from polyhead.training.checkpoint import Progress
from polyhead.training.judging import Weights
from polyhead.training.kept import Kept, note_score
from polyhead.training.log import MetricsFile, Numbers


class Output(Protocol):
    """Where a trainer puts what is to stay. Every call may raise WriteError, or PolyheadError as `check` does."""

    def check(self) -> None:
        """Raises PolyheadError where the directory is not this run's any more."""
        ...

    def metrics(self, numbers: Numbers) -> None:
        """Writes a line of metrics."""
        ...

    def snapshot(self, progress: Progress, weights: Weights, score: float) -> None:
        """Writes weights for the final average; notes their score, and which snapshots the average will need."""
        ...

    def best(self, weights: Weights) -> None:
        """Writes the best weights so far as those of the model directory."""
        ...

    def checkpoint(self, progress: Progress, tensors: dict[str, Tensor]) -> None:
        """Writes everything that a resumed run needs."""
        ...

    def last_good(self) -> str:
        """Which checkpoint is the newest, in words."""
        ...

    def close(self) -> None:
        """Flushes what is written."""
        ...


@dataclass(frozen=True)
class OnDisk:
    """The files of a run's directory, whose folders exist."""

    kept: Kept
    file: MetricsFile
    save_best: Callable[[Weights], None]
    check_place: Callable[[], None]
    """Raises PolyheadError where the directory is not this run's any more."""

    @property
    def directory(self) -> Path:
        """Where snapshots and checkpoints are."""
        return self.kept.directory

    def check(self) -> None:
        self.check_place()

    def metrics(self, numbers: Numbers) -> None:
        self.check()
        self.file.write(numbers)

    def snapshot(self, progress: Progress, weights: Weights, score: float) -> None:
        self.check()
        self.kept.save_snapshot(progress, weights, score)

    def best(self, weights: Weights) -> None:
        self.save_best(weights)

    def checkpoint(self, progress: Progress, tensors: dict[str, Tensor]) -> None:
        self.check()
        self.kept.save_checkpoint(progress, tensors)

    def last_good(self) -> str:
        return self.kept.last_good()

    def close(self) -> None:
        self.file.close()


@dataclass(frozen=True)
class Elsewhere:
    """The output of a process that writes at most its part of a checkpoint. It notes scores as process 0 does."""

    averaging: AveragingConfig
    write: Callable[[Progress, dict[str, Tensor]], object] | None = None
    """What writes this process's part of a checkpoint, if it has one."""

    def check(self) -> None:
        pass

    def metrics(self, numbers: Numbers) -> None:
        pass

    def snapshot(self, progress: Progress, weights: Weights, score: float) -> None:
        note_score(progress, score, self.averaging)

    def best(self, weights: Weights) -> None:
        pass

    def checkpoint(self, progress: Progress, tensors: dict[str, Tensor]) -> None:
        if self.write is not None:
            self.write(progress, tensors)

    def last_good(self) -> str:
        return "process 0 knows the last good checkpoint"

    def close(self) -> None:
        pass
