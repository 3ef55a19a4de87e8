"""Who may have written what is run: another's file, and one that others can write to, are not read."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from polyhead.kernels.code import folders, object_files, permissions
from polyhead.kernels.code.permissions import Untrusted, are_safe_files, is_safe_folder, read_safely

pytestmark = pytest.mark.skipif(not permissions.ASKED, reason="files have no owner here that could be asked for")
OTHER, ANOTHER = 12345, 12346
"""Users."""
is_root = pytest.mark.skipif(os.name == "posix" and os.geteuid() != 0, reason="only root gives files away")


@contextmanager
def as_user(number: int) -> Iterator[None]:
    """Within the block this process has the rights of another user."""
    os.setegid(number)
    os.seteuid(number)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "file"
    found.write_bytes(b"code")
    found.chmod(0o644)
    return found


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that every user can look into, as those that pytest makes are not."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_ones_own_file_is_read(file: Path) -> None:
    assert read_safely(file, 100) == b"code"
    file.chmod(0o400)
    assert read_safely(file, 4) == b"code"


@pytest.mark.parametrize("mode", [0o664, 0o646, 0o666, 0o602, 0o620])
def test_one_that_others_can_write_to_is_not(file: Path, mode: int) -> None:
    file.chmod(mode)
    with pytest.raises(Untrusted):
        read_safely(file, 100)


def test_what_is_no_file_or_too_large_is_not(file: Path, tmp_path: Path) -> None:
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(file)
    os.mkfifo(pipe)
    for place, said in ((link, "symbolic link"), (pipe, "not this user's"), (tmp_path, "irectory")):
        with pytest.raises(OSError, match=said):
            read_safely(place, 100)
    with pytest.raises(OSError, match="larger"):
        read_safely(file, 3)


@is_root
def test_anothers_file_is_not_but_roots_is(public: Path) -> None:
    file = public / "file"
    file.write_bytes(b"code")
    file.chmod(0o644)
    os.chown(file, OTHER, OTHER)
    with pytest.raises(Untrusted):
        read_safely(file, 100)
    with as_user(OTHER):
        assert read_safely(file, 100) == b"code"
    with as_user(ANOTHER), pytest.raises(Untrusted):
        read_safely(file, 100)
    os.chown(file, 0, 0)
    with as_user(OTHER):
        assert read_safely(file, 100) == b"code"


def test_a_folder_is_safe_where_nobody_else_can_write(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True, mode=0o755)
    assert is_safe_folder(inner), "the directory that pytest made for us, in /tmp"
    assert not is_safe_folder(inner / "missing")
    for folder in (inner, inner.parent):
        for mode in (0o775, 0o757, 0o777, 0o1777):
            folder.chmod(mode)
            shared = mode & stat.S_ISVTX and folder != inner and os.geteuid() == 0
            assert is_safe_folder(inner) == bool(shared)
            folder.chmod(0o755)
    assert is_safe_folder(inner)


def test_no_link_and_no_file_is_a_folder(tmp_path: Path, file: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert not is_safe_folder(tmp_path / "link")
    assert not is_safe_folder(file)


@is_root
def test_anothers_folder_is_not_safe_wherever_it_is_in_the_path(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        os.chown(folder, OTHER, OTHER)
        assert not is_safe_folder(inner)
        os.chown(folder, 0, 0)
    assert is_safe_folder(inner)
    os.chown(tmp_path, OTHER, OTHER)
    tmp_path.chmod(0o1777)
    assert not is_safe_folder(inner), "only root's folder may be sticky"


def test_all_that_lies_in_a_folder_is_looked_at(tmp_path: Path) -> None:
    assert not are_safe_files(tmp_path / "missing")
    tmp_path.chmod(0o755)
    inner = tmp_path / "a" / "file"
    inner.parent.mkdir(mode=0o755)
    inner.write_bytes(b"")
    inner.chmod(0o644)
    assert are_safe_files(tmp_path)
    inner.chmod(0o666)
    assert not are_safe_files(tmp_path)
    inner.chmod(0o644)
    inner.parent.chmod(0o777)
    assert not are_safe_files(tmp_path)
    inner.parent.chmod(0o755)
    (tmp_path / "link").symlink_to(inner)
    assert not are_safe_files(tmp_path)
    assert not are_safe_files(tmp_path / "link")
    tmp_path.chmod(0o700)
    assert are_safe_files(tmp_path), "nobody else can look into it"


@is_root
def test_code_that_another_user_has_put_there_is_not_read(tmp_path: Path) -> None:
    place, written = tmp_path / "kernels.f-0-1.code", object_files.ObjectFile("a", "b", ("d",), b"c")
    object_files.write(place, written)
    assert object_files.read(place) == written
    os.chown(place, OTHER, OTHER)
    assert object_files.read(place) is None
    assert not place.exists()


@is_root
def test_another_user_keeps_code_in_a_folder_of_their_own(public: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources, home = public / "sources", public / "home"
    for folder in (sources, home):
        folder.mkdir(mode=0o755)
    os.chown(home, OTHER, OTHER)
    monkeypatch.delenv(folders.CACHES, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    folders.cache_folder.cache_clear()
    with as_user(OTHER):
        found = folders.cache_folder(sources)
    folders.cache_folder.cache_clear()
    assert found is not None
    assert found.is_relative_to(home)
    assert [each.stat().st_mode & 0o777 for each in (found, found.parent)] == [0o700] * 2
    assert found.stat().st_uid == OTHER
