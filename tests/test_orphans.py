"""Processes that end with the one that made them."""

import os
import signal
import subprocess
import sys
import time

import pytest

from polyhead.orphans import when_orphaned

PARENT = """
import multiprocessing, os, sys, time
sys.path[:0] = {path!r}
from polyhead.orphans import when_orphaned

def child(pipe):
    when_orphaned(lambda: os._exit(1))
    pipe.send(os.getpid())
    time.sleep(600)

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    context.Process(target=child, args=(there,)).start()
    print(here.recv(), flush=True)
    time.sleep(600)
"""


def test_a_process_that_was_not_made_by_another_python_goes_on():
    when_orphaned(lambda: pytest.fail("has no parent"))


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_a_process_ends_when_its_parent_is_killed(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT.format(path=sys.path))
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as process:
        child = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        if f"/proc/{child}" and "Z" in _state(child):
            return
        time.sleep(0.02)
    pytest.fail("the child has outlived its parent")


def _state(process: int) -> str:
    from pathlib import Path

    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"
