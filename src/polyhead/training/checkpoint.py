"""Everything needed to go on exactly where training stood, in one file without pickle."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from polyhead.data.loader import Position
from polyhead.errors import TrainingError
from polyhead.files import atomic_file

FORMAT = 1


@dataclass
class Progress:
    """Where training stands; changes with every update."""

    update: int = 0
    position: Position = field(default_factory=lambda: Position(0, 0))
    """The next batch to read."""
    best_score: float | None = None
    """The best validation so far, larger is better."""
    best_update: int = 0
    stale: int = 0
    """Validations since the best."""
    seconds: float = 0.0
    """Time spent training, all sittings together."""
    finished: bool = False
    loss_sum: float = 0.0
    """Plain loss in nats over the target tokens since the last line of metrics."""
    tokens: int = 0
    """Those target tokens."""
    scores: dict[str, float] = field(default_factory=dict)
    """Update (as text, JSON has no other keys) → validation score of the snapshots kept."""


def save_checkpoint(directory: Path, progress: Progress, tensors: dict[str, Tensor], keep: int = 2) -> Path:
    """Writes `update-00001234.safetensors` atomically, then deletes all but the `keep` newest."""
    path = directory / f"update-{progress.update:08d}.safetensors"
    contents = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    metadata = {"format": str(FORMAT), "progress": json.dumps(asdict(progress))}
    with atomic_file(path) as temporary:
        save_file(contents, temporary, metadata)
    for old in checkpoints(directory)[:-keep]:
        old.unlink()
    return path


def checkpoints(directory: Path) -> list[Path]:
    """All checkpoints, oldest first."""
    return sorted(directory.glob("update-*.safetensors"))


def load_checkpoint(path: Path) -> tuple[Progress, dict[str, Tensor]]:
    """The inverse of `save_checkpoint`.

    Raises TrainingError for a file that is not such a checkpoint.
    """
    try:
        with safe_open(path, "pt") as file:
            metadata = cast("dict[str, str]", file.metadata() or {})
        tensors = load_file(path)
        values: dict[str, Any] = json.loads(metadata["progress"])
        values["position"] = Position(**values["position"])
        progress = Progress(**values)
    except (OSError, SafetensorError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise TrainingError(f"{path} is not a checkpoint that this version can resume from: {error}") from error
    return progress, tensors
