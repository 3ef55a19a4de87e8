"""Freed memory that goes back to the system."""

import ctypes
import re
import sys
from pathlib import Path

import pytest

from polyhead.memory.freed import trim


def resident() -> float:
    """MiB in memory."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+)", status)
    assert found
    return int(found.group(1)) / 1024


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="another C library"
)
def test_pages_between_what_is_still_in_use_go_back() -> None:
    held = [b"x" * 60_000 for _ in range(2000)]
    kept = held[::50]
    full = resident()
    held.clear()
    trim()
    assert resident() < full - 60
    assert len(kept) == 40
