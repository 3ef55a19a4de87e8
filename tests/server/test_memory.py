"""Freed memory goes back to the system."""

import ctypes
import re
import sys
import threading
from pathlib import Path

import pytest

from polyhead.engine.pages import trim
from polyhead.server import batcher
from polyhead.server.batcher import Batcher
from polyhead.server.metrics import Metrics
from polyhead.server.settings import ServerConfig
from polyhead.server.waiting import Wish


def resident() -> float:
    """MiB in memory."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="another C library"
)
def test_pages_between_what_is_still_in_use_go_back():
    held = [b"x" * 60_000 for _ in range(2000)]
    kept = held[::50]
    full = resident()
    held.clear()
    trim()
    assert resident() < full - 60
    assert len(kept) == 40


def test_a_working_batcher_tidies_now_and_then(echo, monkeypatch):
    tidied = threading.Semaphore(0)
    monkeypatch.setattr(batcher, "trim", tidied.release)
    monkeypatch.setattr(batcher, "TIDY_EVERY", 0.0)
    echo.may_go.set()
    worker = Batcher("echo", echo.use, ServerConfig(), Metrics())
    for _ in range(2):
        worker.translate(["bado"], Wish()).result(20)
        assert tidied.acquire(timeout=20)
    monkeypatch.setattr(batcher, "TIDY_EVERY", 1000.0)
    worker.translate(["bado"], Wish()).result(20)
    worker.close()
    assert not tidied.acquire(blocking=False)
