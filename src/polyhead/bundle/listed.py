"""Whether the small files of a model directory are as they were written."""

from contextlib import suppress
from pathlib import Path

from polyhead.limits import LARGEST_PIECES
from polyhead.manifest import check_listed


def check_small(path: Path) -> None:
    """Raises ModelError where a file isn't as `SHA256SUMS` lists it; an unreadable file is left to its next reader."""
    with suppress(OSError):
        check_listed(path, LARGEST_PIECES)
