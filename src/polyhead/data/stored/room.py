"""Whether the disk has room for a prepared corpus, looked at before anything is written."""

import shutil
from pathlib import Path

from polyhead.errors import WriteError

_SPARE = 1.1
"""How many times the room that is needed must be free."""
_GB = 1e9


def check_free(directory: Path, needed: float) -> None:
    """Raises WriteError where the disk of a directory, which exists, has less than so many bytes left."""
    free = shutil.disk_usage(directory).free
    if free < _SPARE * needed:
        raise WriteError(
            f"preparing this corpus takes about {_SPARE * needed / _GB:,.1f} GB, and {directory} has only "
            f"{free / _GB:,.1f} GB left: free some space, or name a directory on another disk with --data.store"
        )
