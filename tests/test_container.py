"""How much memory Linux says that a container may take; how many cores is tested with those (`test_cores`)."""

from pathlib import Path

import pytest

from polyhead import container
from polyhead.container import memory_limit
from polyhead.limits import usable_memory

UNLIMITED = "9223372036854771712"
"""What the first version says where there is no limit of memory."""


@pytest.mark.parametrize(
    ("written", "limit"), [("1048576\n", 1 << 20), ("max\n", None), (UNLIMITED, int(UNLIMITED)), (None, None)]
)
@pytest.mark.parametrize("version", [1, 2])
def test_how_much_memory_it_may_take(
    written: str | None, limit: int | None, version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container, "CGROUP", tmp_path)
    monkeypatch.setattr("polyhead.limits._physical_memory", lambda: 1 << 40)
    if written is not None:
        file = tmp_path / ("memory.max" if version == 2 else "memory/memory.limit_in_bytes")
        file.parent.mkdir(exist_ok=True)
        file.write_text(written)
    assert memory_limit() == limit
    assert usable_memory() == min(limit or 1 << 40, 1 << 40)
