"""Files appear whole or not at all, on every system, and what refuses to be written is named."""

import errno
import os
import stat
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from polyhead.errors import WriteError
from polyhead.files import Stamp, atomic_directory, atomic_file, discard, remove_leftovers, write_text

REFUSALS = [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EACCES]


@pytest.fixture
def umask():
    """Sets the umask, and puts it back."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def test_text_is_written_as_utf8(tmp_path):
    path = tmp_path / "c.txt"
    write_text(path, "한\nß\n")
    assert path.read_bytes() == "한\nß\n".encode()
    assert [each.name for each in tmp_path.iterdir()] == ["c.txt"]


def test_no_directory_is_made_behind_its_owners_back(tmp_path):
    with pytest.raises(WriteError, match="there is no directory .*gone; it was moved or deleted"):
        write_text(tmp_path / "gone" / "file", "text")
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    def failing() -> None:
        with atomic_file(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_old_file_stands_until_the_new_one_is_on_disk(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old")
    seen = []
    flush = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: (seen.append(path.read_text()), flush(descriptor))[1])
    write_text(path, "new")
    assert seen[0] == "old"
    assert path.read_text() == "new"


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o002, 0o077])
@pytest.mark.parametrize("kind", ["text", "safetensors"])
def test_who_may_read_a_file_follows_from_the_umask(tmp_path, umask, mask, kind):
    umask(mask)
    path = tmp_path / "file"
    with atomic_file(path) as temporary:
        if kind == "text":
            temporary.write_text("text")
        else:
            save_file({"a": np.zeros(3)}, temporary)  # which puts a file of its own there, for the owner alone
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_only_what_is_unfinished_is_left_over(tmp_path):
    kept = [tmp_path / name for name in (".gitignore", ".git.keep", "model.unfinished", "file")]
    for path in kept:
        path.write_text("mine")
    old = tmp_path / ".model.safetensors.ab12.unfinished"
    old.write_text("half")
    with atomic_file(tmp_path / "file") as temporary:
        (temporary.parent / ".tmpA1b2").write_text("what a library writes on the way")
        remove_leftovers(tmp_path)
        assert not temporary.exists()
        temporary.parent.mkdir()
        temporary.write_text("again")
    assert sorted(tmp_path.iterdir()) == sorted(kept)


@pytest.mark.parametrize("number", REFUSALS)
def test_what_cannot_be_written_is_one_sentence_that_says_what_to_do(tmp_path, number):
    path = tmp_path / "file"
    path.write_text("old")

    def refused() -> None:
        with atomic_file(path) as temporary:
            temporary.write_text("half")
            raise OSError(number, os.strerror(number))

    with pytest.raises(WriteError) as caught:
        refused()
    message = str(caught.value)
    assert message.startswith(f"{path} cannot be written: {os.strerror(number)}; what was there before is untouched: ")
    assert len(message) - len(str(path)) < 200
    assert "\n" not in message
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_refusal_to_a_library_is_told_in_the_same_words(tmp_path):
    """safetensors raises an error of its own."""
    limits = pytest.importorskip("resource")
    before = limits.getrlimit(limits.RLIMIT_FSIZE)
    limits.setrlimit(limits.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with (
            pytest.raises(WriteError, match=r"file cannot be written: File too large; .*`ulimit -f`"),
            atomic_file(tmp_path / "file") as temporary,
        ):
            save_file({"a": np.zeros(100_000)}, temporary)
    finally:
        limits.setrlimit(limits.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def test_an_error_that_is_no_refusal_stays_what_it_is(tmp_path):
    with pytest.raises(BrokenPipeError), atomic_file(tmp_path / "file"):
        raise BrokenPipeError
    with pytest.raises(ValueError, match="mine"), atomic_file(tmp_path / "file"):
        raise ValueError("mine")


def test_directories_and_devices_are_not_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe", "."):
        with pytest.raises(WriteError):
            write_text(tmp_path / name, "text")
    assert (tmp_path / "folder").is_dir()
    assert (tmp_path / "pipe").is_fifo()
    assert len(list(tmp_path.iterdir())) == 2


class Windows:
    """What of Windows' rules can be had elsewhere: no handles of directories, and none for reading is flushed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open, self.fsync, self.writable = os.open, os.fsync, set()
        self.flushed = 0
        monkeypatch.setattr(sys, "platform", "win32")
        monkeypatch.setattr(os, "open", self.opened)
        monkeypatch.setattr(os, "fsync", self.synced)

    def opened(self, path, flags, mode=0o777, **more):
        if os.path.isdir(path):  # noqa: PTH112  pathlib would call this function
            raise PermissionError(errno.EACCES, "Permission denied")
        descriptor = self.open(path, flags, mode, **more)
        self.writable.discard(descriptor)  # the number of one that was closed
        if flags & (os.O_RDWR | os.O_WRONLY):
            self.writable.add(descriptor)
        return descriptor

    def synced(self, descriptor):
        if descriptor not in self.writable:
            raise OSError(errno.EBADF, "Bad file descriptor")
        self.flushed += 1


def test_windows_rules_are_kept(tmp_path, monkeypatch):
    windows = Windows(monkeypatch)
    write_text(tmp_path / "file", "new")
    assert (tmp_path / "file").read_text() == "new"
    assert windows.flushed == 1


def test_a_file_that_another_program_reads_on_windows_is_replaced_when_it_lets_go(tmp_path, monkeypatch):
    Windows(monkeypatch)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    replace, refused = Path.replace, []

    def hindered(self, target):
        if len(refused) < self.times:
            refused.append(target)
            raise PermissionError(errno.EACCES, "Access is denied")
        return replace(self, target)

    monkeypatch.setattr(Path, "times", 3, raising=False)
    monkeypatch.setattr(Path, "replace", hindered)
    write_text(tmp_path / "file", "new")
    assert (tmp_path / "file").read_text() == "new"
    monkeypatch.setattr(Path, "times", 1000)
    with pytest.raises(WriteError, match="close the program that has it open"):
        write_text(tmp_path / "file", "newer")
    assert (tmp_path / "file").read_text() == "new"


def test_on_macos_the_disks_own_memory_is_flushed_too(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    told = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda descriptor, command: told.append(command))
    write_text(tmp_path / "file", "text")
    assert told == [51, 51]  # the file, its directory


def test_a_file_that_cannot_be_deleted_stays_for_the_next_time(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", lambda self: (_ for _ in ()).throw(PermissionError(13, "in use")))
        discard(path)
    assert path.exists()
    discard(path)
    assert not path.exists()
    discard(path)


def test_a_stamp_tells_of_writing_into_the_file_alone(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    stamp = Stamp.of(path)
    assert not stamp.overwritten
    write_text(path, "another file of that name")
    assert not stamp.overwritten
    stamp = Stamp.of(path)
    path.write_text("other contents")
    assert stamp.overwritten
    path.unlink()
    assert not stamp.overwritten


def test_a_directory_appears_whole_or_not_at_all(tmp_path):
    place = tmp_path / "made"
    with atomic_directory(place) as new:
        (new / "inside").mkdir()
        (new / "inside" / "a").write_text("1", encoding="utf-8")
        assert not place.exists()
    failing = atomic_directory(place)
    (failing.__enter__() / "b").write_text("2", encoding="utf-8")
    assert not failing.__exit__(RuntimeError, RuntimeError("in the middle"), None)
    assert [path.name for path in place.rglob("*")] == ["inside", "a"]
    with atomic_directory(place) as new:
        (new / "c").write_text("3", encoding="utf-8")
    assert [path.name for path in tmp_path.rglob("*")] == ["made", "c"]


def test_a_directory_that_cannot_be_replaced_stays_as_it_was(tmp_path, monkeypatch):
    place = tmp_path / "made"
    with atomic_directory(place) as new:
        (new / "a").write_text("1", encoding="utf-8")
    real, refused = Path.replace, []

    def replace(self, target):
        """Refuses to put a new directory in its place, once."""
        if target == place and not refused:
            refused.append(self)
            raise OSError(errno.EIO, "Input/output error")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(WriteError, match="made cannot be written"), atomic_directory(place) as new:
        (new / "b").write_text("2", encoding="utf-8")
    assert [path.name for path in tmp_path.rglob("*")] == ["made", "a"]


def test_a_killed_process_leaves_a_directory_that_is_known_to_be_unfinished(tmp_path):
    kept = atomic_directory(tmp_path / "made")
    kept.__enter__()
    (left,) = tmp_path.iterdir()
    remove_leftovers(tmp_path)
    assert not left.exists()
    with pytest.raises(WriteError, match="made cannot be written"):
        kept.__exit__(None, None, None)
