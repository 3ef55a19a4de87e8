"""How many worker processes a machine has room for."""

from pathlib import Path

import pytest

from polyhead.bulk import capacity
from polyhead.bulk.capacity import PROCESS, WEIGHTS, free_memory, workers_for

SIZE = 1 << 20


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / WEIGHTS).write_bytes(bytes(SIZE))
    return tmp_path


@pytest.mark.parametrize(
    ("threads", "free", "workers"),
    [
        (None, None, 8),
        (1, 100 * (PROCESS + SIZE), 8),
        (3, None, 2),
        (16, None, 1),
        (None, 3 * (PROCESS + SIZE), 3),
        (None, 3 * (PROCESS + SIZE) - 1, 2),
        (None, 0, 1),
    ],
)
def test_as_many_as_there_are_cores_and_memory_for(
    threads: int | None, free: int | None, workers: int, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capacity, "cores", lambda: 8)
    monkeypatch.setattr(capacity, "free_memory", lambda: free)
    assert workers_for([model], threads) == workers


def test_what_is_free_is_no_more_than_what_a_container_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = tmp_path / "meminfo"
    said.write_text("MemTotal: 4096 kB\nMemAvailable: 2048 kB\n")
    monkeypatch.setattr(capacity, "usable_memory", lambda: 1 << 30)
    assert free_memory(said) == 2 << 20
    monkeypatch.setattr(capacity, "usable_memory", lambda: 1 << 20)
    assert free_memory(said) == 1 << 20
    assert free_memory(tmp_path / "nothing") == 1 << 20
    monkeypatch.setattr(capacity, "usable_memory", lambda: None)
    assert free_memory(tmp_path / "nothing") is None
