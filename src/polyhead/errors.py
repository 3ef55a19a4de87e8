"""Errors that a person can act on: what was wrong, where, and what to do.

Everything a user can cause is a `PolyheadError`; the command line prints it as one sentence without a traceback.
"""

from pathlib import Path


class PolyheadError(Exception):
    """Something the user can put right; the message says what and how."""


class DataError(PolyheadError):
    """A corpus file cannot be used; names the file and, where there is one, the line (counted from 1)."""

    def __init__(self, message: str, path: Path | str, line: int | None = None) -> None:
        place = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{place}: {message}")
        self.path = Path(path)
        self.line = line


class RecipeError(PolyheadError):
    """A recipe or a command-line key is wrong; names the key and suggests the right one."""


class ModelError(PolyheadError):
    """A model directory is missing, damaged, or does not fit what is asked of it."""


class TrainingError(PolyheadError):
    """Training cannot go on (a NaN, an exploding loss, a run directory that belongs to another recipe)."""


class WriteError(PolyheadError):
    """Something cannot be written: the disk is full, it may not be written to, its directory is gone."""
