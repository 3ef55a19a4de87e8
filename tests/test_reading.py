import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from polyhead import reading
from polyhead.limits import LARGEST_HEADER
from polyhead.reading import Unreadable, check_tensors, open_regular, read_bytes, read_text

OPEN = Path("/proc/self/fd")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="such files are POSIX's")


def fifo(path: Path) -> None:
    os.mkfifo(path)


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def directory(path: Path) -> None:
    path.mkdir()


def terabyte(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def sock(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def missing(path: Path) -> None:
    del path


HOSTILE = [fifo, zeros, directory, terabyte, sock, missing]


@pytest.mark.parametrize("make", HOSTILE)
def test_only_regular_files_of_moderate_size_are_read(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "x")
    with pytest.raises(OSError) as caught:  # noqa: PT011  whichever the system says
        read_bytes(tmp_path / "x", 1000)
    assert caught.value.strerror
    assert len(str(caught.value.strerror)) < 100


@pytest.mark.parametrize("make", HOSTILE)
def test_only_regular_files_hold_weights(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "x")
    with pytest.raises(OSError):  # noqa: PT011
        check_tensors(tmp_path / "x")


def test_links_to_files_are_followed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("한글", encoding="utf-8")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "other").symlink_to("link")
    assert read_text(tmp_path / "other", 6) == "한글"


def test_a_file_may_be_as_large_as_is_said_and_no_larger(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"12345")
    assert read_bytes(tmp_path / "x", 5) == b"12345"
    with pytest.raises(Unreadable, match="5 bytes, where at most 4"):
        read_bytes(tmp_path / "x", 4)


def test_a_file_that_says_nothing_of_its_size_is_bounded_all_the_same() -> None:
    if not Path("/proc/self/maps").exists():
        pytest.skip("no /proc here")
    with pytest.raises(Unreadable, match="at most 10"):
        read_bytes(Path("/proc/self/maps"), 10)


@pytest.mark.skipif(not OPEN.exists(), reason="the system doesn't list open files")
def test_a_file_that_is_refused_is_closed(tmp_path: Path) -> None:
    before = len(list(OPEN.iterdir()))
    for _ in range(5):
        with pytest.raises(Unreadable, match="a directory"):
            open_regular(tmp_path)
    assert len(list(OPEN.iterdir())) == before


def test_a_name_with_nul_is_no_file() -> None:
    with pytest.raises(Unreadable):
        open_regular(Path("a\0b"))


def test_a_header_of_no_reason_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes((LARGEST_HEADER + 1).to_bytes(8, "little") + b"{}")
    with pytest.raises(Unreadable, match="header"):
        check_tensors(tmp_path / "x")


def test_weights_larger_than_the_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_bytes((2).to_bytes(8, "little") + b"{}" + bytes(100))
    check_tensors(tmp_path / "x")
    monkeypatch.setattr(reading, "usable_memory", lambda: 100)
    with pytest.raises(Unreadable, match="110 bytes, more than the 100"):
        check_tensors(tmp_path / "x")


def interrupted_at(event: int, path: Path) -> bool:
    """Reads a file and interrupts that at one of the interpreter's events; whether it was read before that."""
    left = event

    def trace(frame: object, kind: str, value: object) -> object:
        nonlocal left
        del frame, kind, value  # the error's frames keep what they know alive
        left -= 1
        if left == 0:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        read_bytes(path, 1000)
    except KeyboardInterrupt:
        return False
    finally:
        sys.settrace(before)
    return True


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of files that are closed because nobody has them any more
def test_reading_that_is_interrupted_says_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"words")
    event = 1
    while not interrupted_at(event, tmp_path / "x"):
        event += 1
    assert event > 10
