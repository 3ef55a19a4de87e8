"""A model directory has one writer at a time."""

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import filelock
import pytest

from polyhead.errors import PolyheadError
from polyhead.run_lock import LOCK, PRESENCE, exclusive

HOLD = """
import sys, time
from pathlib import Path
from polyhead.run_lock import exclusive
with exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """A function that starts a process which holds the directory `model`, and waits until it does."""
    started: list[subprocess.Popen[str]] = []

    def hold() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", HOLD, str(tmp_path / "model")]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    yield hold
    for process in started:
        process.kill()
        process.communicate()


def test_a_second_process_is_told_at_once_who_holds_it(tmp_path, holder):
    process = holder()
    before = time.monotonic()
    with (
        pytest.raises(PolyheadError, match=rf"model is in use .*\(process {process.pid} on "),
        exclusive(tmp_path / "model"),
    ):
        pass
    assert time.monotonic() - before < 5
    assert (tmp_path / "model" / LOCK).exists()


def test_a_second_time_in_one_process_is_refused_too(tmp_path):
    with exclusive(tmp_path / "model") as held:
        held.check()
        with pytest.raises(PolyheadError, match="is in use by another polyhead process"), exclusive(tmp_path / "model"):
            pass
        assert (tmp_path / "model" / LOCK).exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_what_a_killed_process_held_is_free(tmp_path, holder, number):
    process = holder()
    process.send_signal(number)
    process.wait()
    with exclusive(tmp_path / "model") as held:
        assert (held.directory / LOCK).read_text().startswith(f"{os.getpid()}\n")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_does_not_hold_it_on(tmp_path):
    """The child lives on when its parent has let go."""
    with exclusive(tmp_path / "model"):
        child = os.fork()
        if child == 0:
            time.sleep(60)
            os._exit(0)
    try:
        with exclusive(tmp_path / "model"):
            pass
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_nothing_is_left_behind_where_nothing_was_written(tmp_path):
    with pytest.raises(ValueError, match="mine"), exclusive(tmp_path / "a" / "b"):
        raise ValueError("mine")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "empty").mkdir()
    with exclusive(tmp_path / "empty"):
        pass
    assert list(tmp_path.rglob("*")) == [tmp_path / "empty"]


def test_what_was_written_stays_and_the_lock_goes(tmp_path):
    with exclusive(tmp_path / "a" / "b") as held:
        (held.directory / "file").write_text("mine")
    assert [each.name for each in (tmp_path / "a" / "b").iterdir()] == ["file"]


@pytest.mark.parametrize("change", ["deleted", "moved", "replaced"])
def test_another_directory_is_noticed(tmp_path, change):
    model = tmp_path / "model"
    with exclusive(model) as held:
        (model / "file").write_text("mine")
        held.check()
        if change == "moved":
            model.rename(tmp_path / "elsewhere")
        else:
            shutil.rmtree(model)
        if change == "replaced":
            model.mkdir()
            (model / LOCK).write_text("another's")
        with pytest.raises(PolyheadError, match="was deleted, moved or replaced"):
            held.check()
    if change == "replaced":
        assert (model / LOCK).read_text() == "another's"
    else:
        assert not model.exists()


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_has_a_file_in_their_place(tmp_path, monkeypatch, number):
    def unknown(descriptor, operation):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", unknown)
    with exclusive(tmp_path / "model") as held:
        held.check()
        with (
            pytest.raises(PolyheadError, match=rf"in use .*\(process {os.getpid()} on .*delete .*{PRESENCE}"),
            exclusive(tmp_path / "model"),
        ):
            pass
    assert list(tmp_path.iterdir()) == []


def test_such_a_file_of_a_dead_process_counts_for_nothing(tmp_path, monkeypatch):
    def unknown(descriptor, operation):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", unknown)
    (tmp_path / "model").mkdir()
    child = os.posix_spawn(sys.executable, [sys.executable, "-c", "pass"], os.environ)
    with exclusive(tmp_path / "model"):
        record = (tmp_path / "model" / PRESENCE).read_text().split("\n")
    os.waitpid(child, 0)
    (tmp_path / "model" / PRESENCE).write_text("\n".join([str(child), *record[1:2], ""]))
    with exclusive(tmp_path / "model"):
        pass
    elsewhere = f"{child}\nanother-host\n"
    (tmp_path / "model" / PRESENCE).write_text(elsewhere)
    with pytest.raises(PolyheadError, match=r"on another-host\).*delete"), exclusive(tmp_path / "model"):
        pass
    assert (tmp_path / "model" / PRESENCE).read_text() == elsewhere


def test_a_directory_that_cannot_be_written_to_is_said(tmp_path, monkeypatch):
    """Whoever the tests run as: the system call is what refuses."""

    def denied(self, *more, **given):
        raise PermissionError(errno.EACCES, "Permission denied", str(self.lock_file))

    monkeypatch.setattr(filelock.FileLock, "acquire", denied)
    with (
        pytest.raises(PolyheadError, match=f"{LOCK} cannot be written: Permission denied"),
        exclusive(tmp_path / "model"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_many_in_turn_never_overlap(tmp_path):
    """Whoever lets go deletes the file, which must not give the next two a lock each."""
    script = """
import sys, time, os
from pathlib import Path
from polyhead.errors import PolyheadError
from polyhead.run_lock import exclusive
directory, inside = Path(sys.argv[1]), Path(sys.argv[2])
done = 0
while done < 30:
    try:
        with exclusive(directory):
            os.mkdir(inside)  # fails if another is inside
            os.rmdir(inside)
            done += 1
    except PolyheadError:
        pass
"""
    arguments = [sys.executable, "-c", script, str(tmp_path / "model"), str(tmp_path / "inside")]
    processes = [subprocess.Popen(arguments, stderr=subprocess.PIPE) for _ in range(3)]
    for process in processes:
        errors = process.communicate()[1]
        assert process.returncode == 0, errors.decode()


def test_who_has_patience_gets_it_when_it_is_let_go(tmp_path):
    waited = []

    def wait() -> None:
        with exclusive(tmp_path / "model", patience=-1):
            waited.append(time.monotonic())

    with exclusive(tmp_path / "model"):
        waiting = threading.Thread(target=wait)
        waiting.start()
        time.sleep(1.0)
        assert not waited
    let_go = time.monotonic()
    waiting.join(30)
    assert waited
    assert waited[0] >= let_go - 0.5
