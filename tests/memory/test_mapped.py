"""Pages of mapped files leave the process's memory and come back."""

import sys
from pathlib import Path

import numpy as np
import pytest

from polyhead.memory.mapped import let_go


def resident() -> int:
    """MB of files that are in this process's memory."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssFile")) // 1024


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux what is in memory")
def test_what_was_read_of_a_mapped_file_is_let_go_of_and_can_be_read_again(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(8 << 20))  # 64 MiB
    array = np.load(tmp_path / "a.npy", mmap_mode="r")
    before = resident()
    total = int(array.sum())
    assert resident() > before + 50
    let_go(array[5:][::2])
    assert resident() < before + 10
    assert int(array.sum()) == total


def test_an_array_in_memory_stays() -> None:
    array = np.arange(10)
    let_go(array)
    let_go(array[2:])
    assert array.tolist() == list(range(10))
