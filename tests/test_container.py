"""What Linux says that a container may take, in either version of its control groups."""

from pathlib import Path

import pytest

from polyhead import container, cores
from polyhead.container import cpu_quota, memory_limit
from polyhead.limits import usable_memory

VERSIONS = pytest.mark.parametrize("version", [1, 2])
UNLIMITED = "9223372036854771712"
"""What the first version says where there is no limit of memory."""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(container, "CGROUP", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("written", "quota"),
    [("200000 100000", 2), ("150000 100000", 2), ("10000 100000", 1), ("max 100000", None), ("", None), (None, None)],
)
@VERSIONS
def test_how_many_cores_it_may_keep_busy(
    written: str | None, quota: int | None, version: int, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cores, "_cores_seen", lambda: 64)
    if written is not None and version == 2:
        (files / "cpu.max").write_text(f"{written}\n")
    elif written is not None:
        first, _, second = written.replace("max", "-1").partition(" ")
        (files / "cpu").mkdir()
        (files / "cpu/cpu.cfs_quota_us").write_text(f"{first}\n")
        (files / "cpu/cpu.cfs_period_us").write_text(second)
    assert cpu_quota() == quota
    assert cores._physical_cores.__wrapped__() == (quota or 64)


@pytest.mark.parametrize(
    ("written", "limit"), [("1048576\n", 1 << 20), ("max\n", None), (UNLIMITED, int(UNLIMITED)), (None, None)]
)
@VERSIONS
def test_how_much_memory_it_may_take(
    written: str | None, limit: int | None, version: int, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyhead.limits._physical_memory", lambda: 1 << 40)
    if written is not None:
        file = files / ("memory.max" if version == 2 else "memory/memory.limit_in_bytes")
        file.parent.mkdir(exist_ok=True)
        file.write_text(written)
    assert memory_limit() == limit
    assert usable_memory() == min(limit or 1 << 40, 1 << 40)
