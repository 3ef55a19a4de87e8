"""Everything needed to go on exactly where training stood, in one file without pickle."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, cast

from pydantic import ConfigDict, Field, TypeAdapter
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from polyhead.data.loader import LAST, Position
from polyhead.errors import ModelError, TrainingError, shortened
from polyhead.manifest import check_listed, listed_file
from polyhead.reading import check_tensors

FORMAT = 1
Count = Annotated[int, Field(ge=0, le=LAST)]


@dataclass
class Progress:
    """Where training stands; changes with every update."""

    __pydantic_config__ = ConfigDict(extra="forbid", allow_inf_nan=False)
    update: Count = 0
    position: Position = field(default_factory=lambda: Position(0, 0))
    """The next batch to read."""
    best_score: float | None = None
    """The best validation so far, larger is better."""
    best_update: Count = 0
    stale: Count = 0
    """Validations since the best."""
    seconds: float = 0.0
    """Time spent training, all sittings together."""
    finished: bool = False
    loss_sum: float = 0.0
    """Plain loss in nats over the target tokens since the last line of metrics."""
    tokens: Count = 0
    """Those target tokens."""
    scores: dict[str, float] = field(default_factory=dict)
    """Update (as text, JSON has no other keys) → validation score of the snapshots kept."""
    unjudged: bool = False
    """Whether this update's validation is still to come, since a signal ended it."""
    history: list[tuple[Count, float]] = field(default_factory=list)
    """Update and score of each validation before the end was begun, oldest first."""
    last: Count | None = None
    """The run's last update, once its end has begun."""
    limits: dict[str, float | None] | None = None
    """The recipe's limits under which the end has begun; with others there may be more to go."""
    sampled_epochs: Count | None = None
    """Epochs whose words were cut up at random, once no more are to follow."""
    rounds: int = 1
    """How many parts every batch is cut into, one after the other, since one did not fit the memory."""


_PROGRESS = TypeAdapter(Progress)


def save_checkpoint(directory: Path, progress: Progress, tensors: dict[str, Tensor]) -> Path:
    """Writes `update-00001234.safetensors` atomically and lists its digest."""
    path = checkpoint_path(directory, progress.update)
    contents = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    metadata = {"format": str(FORMAT), "progress": json.dumps(asdict(progress))}
    with listed_file(path) as temporary:
        save_file(contents, temporary, metadata)
    return path


def checkpoint_path(directory: Path, update: int) -> Path:
    """Where the checkpoint of an update lies."""
    return directory / f"update-{update:08d}.safetensors"


def checkpoints(directory: Path) -> list[Path]:
    """All checkpoints, oldest first."""
    return sorted(directory.glob("update-*.safetensors"))


def load_checkpoint(path: Path) -> tuple[Progress, dict[str, Tensor]]:
    """The inverse of `save_checkpoint`.

    Raises TrainingError for a file that is damaged or is not such a checkpoint.
    """
    try:
        check_listed(path)
        return load_progress(path), load_file(path)
    except ModelError as error:
        raise TrainingError(str(error)) from error
    except (OSError, SafetensorError, RuntimeError) as error:
        raise _unusable(path, error) from error


def load_progress(path: Path) -> Progress:
    """The progress in a checkpoint, which is read without its tensors, and not compared with its digest.

    Raises TrainingError for a file that is not such a checkpoint.
    """
    try:
        check_tensors(path)
        with safe_open(path, "pt") as file:
            metadata = cast("dict[str, str]", file.metadata() or {})
        return _PROGRESS.validate_python(json.loads(metadata["progress"]))
    except (OSError, SafetensorError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise _unusable(path, error) from error


def _unusable(path: Path, error: Exception) -> TrainingError:
    reason = str(error).partition("\n")[0]
    return TrainingError(f"{path} is not a checkpoint that this version can resume from: {shortened(reason, 100)}")
