"""Small files of the formats."""

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[str, "bytes | str"], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file below the test's directory."""

    def written(name: str, data: bytes | str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return written
