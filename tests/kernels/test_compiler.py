"""A compiler that comes when it is needed, says so once, and knows which instructions are to be left alone."""

import os
import subprocess
import sys

import pytest

from polyhead.hardware import cpu_features
from polyhead.kernels import compiler

COMES = """
import sys
from polyhead.kernels import compiler

told = []
compiler.when_compiling(lambda: told.append("waited"))
assert not told and "numba" not in sys.modules
features = compiler.numba.config.CPU_FEATURES
assert told == ["waited"]
compiler.when_compiling(lambda: told.append("at once"))
assert told == ["waited", "at once"]
print(*[each for each in features.split(",") if each.startswith(("+avx", "-avx"))])
"""


def test_a_pause_is_announced_once(caplog: pytest.LogCaptureFixture) -> None:
    announcement = compiler.Announcement()
    with caplog.at_level("INFO", "polyhead"):
        announcement.notify(None)
        announcement.notify(None)
    assert len(caplog.messages) == 1
    assert "once" in caplog.messages[0]


def test_numba_tells_when_it_compiles_and_only_then() -> None:
    with compiler.event.install_recorder("numba:compile") as record:
        function = compiler.numba.njit(lambda x: x + 1)
        assert function(1) == function(2) - 1 == 2
    assert len(record.buffer) == 2, "the beginning and the end"


@pytest.mark.skipif("avx2" not in cpu_features(), reason="this CPU has no such instructions to leave alone")
def test_it_comes_when_asked_for_and_leaves_instructions_alone() -> None:
    command = [sys.executable, "-c", COMES]
    environment = os.environ | {"POLYHEAD_CPU_WITHOUT": "avx2 avx512"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = set(done.stdout.split())
    assert {"+avx", "-avx2"} <= found
    assert not any(each.startswith("+avx512") for each in found)
