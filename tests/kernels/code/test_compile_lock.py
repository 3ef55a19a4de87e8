"""Of several processes that need the same code, one compiles; whatever happens to it, the others go on."""

import errno
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from polyhead.kernels.code import compile_lock as module
from polyhead.kernels.code.compile_lock import compile_lock

HOLD = """
import sys, time
from pathlib import Path
from polyhead.kernels.code.compile_lock import compile_lock
with compile_lock(Path(sys.argv[1]), lambda: None):
    print("held", flush=True)
    time.sleep(300)
"""
SCRIPT = """
    import sys, time
    import numpy as np
    from polyhead.kernels import compiler
    from polyhead.kernels.kernel import Kernel
    from tests.kernels.code.slow import filled

    compiled, before = [], Kernel._compiled
    def counting(self, place, given):
        compiled.append(self.__name__)
        return before(self, place, given)
    Kernel._compiled = counting
    while time.time() < float(sys.argv[1]):
        time.sleep(0.01)
    numbers = np.zeros(5)
    filled(numbers)
    assert numbers.tolist() == [1.0] * 5
    print(len(compiled))
"""


def test_two_processes_that_begin_at_once_compile_a_kernel_once(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT), str(time.time() + 5)]
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert sorted(each.communicate(timeout=300)[0] for each in both) == ["0\n", "1\n"]
    assert [each.suffix for each in tmp_path.rglob("*") if each.is_file()] == [".code"], "no lock stays"


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has the lock of the file `k.code`."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "k.code")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_who_holds_it_may_be_killed(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    def kill() -> None:
        holder.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        holder.wait(60)

    began = time.monotonic()
    with compile_lock(tmp_path / "k.code", kill):
        assert holder.poll() is not None
    assert time.monotonic() - began < module.PATIENCE / 2


def test_who_holds_it_for_too_long_is_not_waited_for(
    tmp_path: Path, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.2)
    told: list[bool] = []
    with compile_lock(tmp_path / "k.code", lambda: told.append(True)):
        assert told == [True]
        assert holder.poll() is None


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EROFS, errno.ENOSPC, errno.EIO])
def test_where_there_are_no_locks_nobody_waits(tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: FileLock) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(FileLock, "_acquire", refused)
    done: list[bool] = []
    with compile_lock(tmp_path / "k.code", lambda: None):
        done.append(True)
    assert done
    with compile_lock(tmp_path / "gone" / "k.code", lambda: None):
        done.append(True)


def test_what_is_raised_within_is_raised_and_the_lock_ends(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), compile_lock(tmp_path / "k.code", lambda: None):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())
