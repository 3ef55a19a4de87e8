"""Freed memory that goes back to the system."""

import ctypes
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from polyhead.memory.freed import trim, trimmed


def resident() -> float:
    """MiB in memory."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+)", status)
    assert found
    return int(found.group(1)) / 1024


def scattered() -> tuple[list[bytes], float]:
    """Blocks that stay, with freed ones between them, and how many MiB were in memory before those were freed."""
    held = [b"x" * 60_000 for _ in range(2000)]
    return held[::50], resident()


HAS_TRIM = sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim")


@pytest.mark.skipif(not HAS_TRIM, reason="another C library")
def test_pages_between_what_is_still_in_use_go_back() -> None:
    kept, full = scattered()
    trim()
    assert resident() < full - 60
    assert len(kept) == 40


@pytest.mark.skipif(not HAS_TRIM, reason="another C library")
def test_pages_go_back_before_and_after_what_is_done_even_if_it_fails() -> None:
    kept, full = scattered()
    with suppress(KeyError), trimmed():
        assert resident() < full - 60
        others, full = scattered()
        kept += others
        raise KeyError
    assert resident() < full - 60
    assert len(kept) == 80


@pytest.mark.skipif(sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallopt"), reason="glibc's")
@pytest.mark.parametrize("at_once", [True, False])
def test_large_blocks_go_back_at_once_where_that_is_asked_for(at_once: bool) -> None:
    """In a process of its own, as it can't be taken back. Before, glibc keeps what lies before a block in use."""
    program = f"""
import ctypes, re
from pathlib import Path
from polyhead.memory.freed import return_at_once
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
{"return_at_once()" if at_once else ""}
def block():
    place = libc.malloc(4 << 20)
    ctypes.memset(place, 1, 4 << 20)
    return place
def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
libc.free(block())
before, blocks = resident(), [block() for _ in range(9)]
for place in blocks[:-1]:
    libc.free(place)
print(resident() - before)
"""
    kept = int(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
    assert (kept < 2 * (4 << 10)) == at_once
