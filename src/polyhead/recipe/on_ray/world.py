"""The workers that Ray Train has started, as a training sees them."""

import time
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from polyhead.errors import TrainingError, shortened
from polyhead.training.place import Place
from polyhead.training.process_group import ProcessGroup

ASK = 1.0
"""Seconds after which it is asked anew whether the user wants training to stop."""


class RayWorld(ProcessGroup):
    """The processes that Ray Train has brought together."""

    def __init__(self, place: Place, board: Any, copied: Path | None) -> None:
        """board: Ray's handle of the actor `Board`; copied: the directory to copy with each checkpoint, if any."""
        super().__init__(place)
        self._ray: Any = import_module("ray")
        self._train: Any = import_module("ray.train")
        self._board = board
        self._copied = copied
        self._asked = time.monotonic()

    def is_to_stop(self) -> bool:
        if self.rank > 0 or time.monotonic() - self._asked < ASK:
            return False
        self._asked = time.monotonic()
        return bool(self._ray.get(self._board.is_to_stop.remote()))

    def kept(self, numbers: Mapping[str, float]) -> None:
        copied = self._copied if self.rank == 0 else None
        checkpoint = None if copied is None else self._train.Checkpoint.from_directory(str(copied))
        try:
            self._train.report(dict(numbers), checkpoint=checkpoint)
        except Exception as error:  # of whatever kind: the libraries of file systems have their own
            reason = shortened(str(error).partition("\n")[0], 100)
            raise TrainingError(
                f"the checkpoint of update {numbers['update']} was written, but Ray cannot copy it to --ray-storage "
                f"({reason}); it must be a place that all machines can write to; go on with --resume"
            ) from error
        if self.rank == 0:
            self._board.keep.remote()

    def say(self, text: str) -> None:
        self._board.say.remote(text)

    def begin(self) -> None:
        self._ray.get(self._board.begin.remote())

    def has_begun(self) -> bool:
        return bool(self._ray.get(self._board.has_begun.remote()))
