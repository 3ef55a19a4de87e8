"""Everything needed to go on exactly where training stood, without pickle: in one file, or in one for each process."""

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, cast

from pydantic import ConfigDict, Field, TypeAdapter
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from polyhead.config import Config
from polyhead.data.loader import LAST, Position
from polyhead.errors import ModelError, TrainingError, shortened
from polyhead.limits import MOST_COUNTED
from polyhead.manifest import check_listed, listed_file
from polyhead.reading import check_tensors

FORMAT = 1
IN_PARTS = 2
"""The format of a file without tensors, which are in a folder beside it."""
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
    """How many validations there were since the best one."""
    seconds: float = 0.0
    """Time spent training, all sittings together."""
    finished: bool = False
    loss_sum: float = 0.0
    """Plain loss in nats over the target tokens since the last line of metrics."""
    tokens: Count = 0
    """How many target tokens `loss_sum` is over."""
    scores: dict[str, float] = field(default_factory=dict)
    """Update (as text, JSON has no other keys) → validation score of the snapshots kept."""
    unjudged: bool = False
    """Whether this update's validation is still to come, since a signal ended it."""
    judged: Count | None = None
    """The update of the latest validation; None before the first one, and in checkpoints of older versions."""
    history: list[tuple[Count, float]] = field(default_factory=list)
    """Update and score of each validation before the end was begun, oldest first."""
    last: Count | None = None
    """The run's last update, once its end has begun."""
    limits: dict[str, float | None] | None = None
    """The recipe's limits under which the end has begun; a run resumed with other limits may have more to go."""
    sampled_epochs: Count | None = None
    """How many epochs have words cut up at random, once no more such epochs are to follow."""
    rounds: int = 1
    """How many parts every batch is cut into, one after the other, since one did not fit the memory."""

    @property
    def has_news(self) -> bool:
        """Whether there were updates since the latest validation."""
        return self.judged is not None and self.judged < self.update

    def in_numbers(self) -> dict[str, float]:
        """Where training stands, for whoever launched it: update, epoch, and the best score if there is one."""
        best = {} if self.best_score is None else {"best_score": self.best_score}
        return {"update": self.update, "epoch": self.position.epoch, **best}


PARTS = ".parts"
"""The ending of the name of a folder to which several processes have written a checkpoint's tensors."""


class Parts(Config):
    """Where the tensors of a checkpoint lie that several processes have written."""

    folder: Annotated[str, Field(pattern=r"^update-\d{8,12}\.[0-9a-f]{8}\.parts$")]
    """The name of a folder beside the checkpoint."""
    files: int = Field(ge=1, le=MOST_COUNTED)
    """How many files are in it."""


_PROGRESS = TypeAdapter(Progress)

Write = Callable[[Path, Progress, dict[str, Tensor]], object]
"""A function that writes a checkpoint into a directory: the progress, and the tensors as this process holds them."""
Load = Callable[[Path], tuple[Progress, dict[str, Tensor]]]
"""A function that reads a checkpoint → progress, and whole tensors, perhaps without values. Raises TrainingError."""


def save_checkpoint(directory: Path, progress: Progress, tensors: dict[str, Tensor]) -> Path:
    """Writes `update-00001234.safetensors` atomically and lists its digest."""
    contents = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    return _save(directory, progress, contents, {"format": str(FORMAT)})


def save_checkpoint_of_parts(directory: Path, progress: Progress, parts: Parts) -> Path:
    """Writes, atomically, the file that makes a checkpoint of tensors in a folder, and lists the file's digest."""
    return _save(directory, progress, {}, {"format": str(IN_PARTS), "parts": parts.model_dump_json()})


def _save(directory: Path, progress: Progress, tensors: dict[str, Tensor], metadata: dict[str, str]) -> Path:
    path = checkpoint_path(directory, progress.update)
    with listed_file(path) as temporary:
        save_file(tensors, temporary, {**metadata, "progress": json.dumps(asdict(progress))})
    return path


def checkpoint_path(directory: Path, update: int) -> Path:
    """Where the checkpoint of an update lies."""
    return directory / f"update-{update:08d}.safetensors"


def checkpoints(directory: Path) -> list[Path]:
    """All checkpoints, oldest first."""
    return sorted(directory.glob("update-*.safetensors"))


def load_checkpoint(path: Path) -> tuple[Progress, dict[str, Tensor]]:
    """Reads a checkpoint, also one that several processes have written → progress and whole tensors.

    Raises TrainingError for a file that is damaged or is not such a checkpoint.
    """
    with _usable(path):
        folder = _checked(path)
        if folder is None:
            return load_progress(path), load_file(path)
        from polyhead.training.sharded import files

        return load_progress(path), files.read_whole(folder)


def describe_checkpoint(path: Path) -> tuple[Progress, dict[str, Tensor]]:
    """`load_checkpoint` with tensors that have no values, and need no memory. All digests are compared all the same."""
    from polyhead.training.sharded import files

    with _usable(path):
        folder = _checked(path)
        described = files.describe_file(path) if folder is None else files.describe_parts(folder)
        return load_progress(path), described


def _checked(path: Path) -> Path | None:
    """Compares all digests of a checkpoint → the folder of its tensors; None where they are in its file."""
    check_listed(path)
    parts = parts_of(path)
    if parts is None:
        return None
    from polyhead.training.sharded import files  # torch.distributed.checkpoint is for those alone who need it

    folder = path.parent / parts.folder
    files.check_parts(folder, parts.files)
    return folder


def load_progress(path: Path) -> Progress:
    """The progress in a checkpoint, which is read without its tensors, and not compared with its digest.

    Raises TrainingError for a file that is not such a checkpoint.
    """
    with _usable(path):
        return _PROGRESS.validate_python(json.loads(_metadata(path)["progress"]))


def parts_of(path: Path) -> Parts | None:
    """Where the tensors of a checkpoint are, if they are not in its file. Raises TrainingError as `load_progress`."""
    with _usable(path):
        described = _metadata(path).get("parts")
        return None if described is None else Parts.model_validate_json(described)


def _metadata(path: Path) -> dict[str, str]:
    check_tensors(path)
    with safe_open(path, "pt") as file:
        return cast("dict[str, str]", file.metadata() or {})


@contextmanager
def _usable(path: Path) -> Generator[None]:
    """Within the block, whatever is wrong with a checkpoint becomes a TrainingError."""
    try:
        yield
    except ModelError as error:
        raise TrainingError(str(error)) from error
    except (OSError, SafetensorError, KeyError, TypeError, ValueError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]
        raise TrainingError(
            f"{path} is not a checkpoint that this version can resume from: {shortened(reason, 100)}"
        ) from error
