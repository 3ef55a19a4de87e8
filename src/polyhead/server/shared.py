"""What the worker processes of a server share: folders within one that belongs to them alone."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Shared:
    """The folders that the worker processes of a server share."""

    folder: Path

    @property
    def metrics(self) -> Path:
        """Where each worker keeps its counts."""
        return self.folder / "metrics"

    @property
    def traces(self) -> Path:
        """Where traces are kept."""
        return self.folder / "traces"

    @property
    def files(self) -> Path:
        """Where translated files wait to be fetched."""
        return self.folder / "files"

    @property
    def packed(self) -> Path:
        """Where packed weights lie, whose pages all workers map."""
        return self.folder / "packed"

    @property
    def ready(self) -> Path:
        """A file that is there once a worker can answer."""
        return self.folder / "ready"

    def is_first(self) -> bool:
        """Whether no worker has asked this before. The first one tells of pauses for all."""
        try:
            (self.folder / "first").mkdir()
        except FileExistsError:
            return False
        return True

    def make(self) -> None:
        """Makes the folders."""
        for each in (self.metrics, self.traces, self.files, self.packed):
            each.mkdir()
