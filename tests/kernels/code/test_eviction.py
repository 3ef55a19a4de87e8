"""What goes of a folder of machine code, and what stays."""

import os
from collections.abc import Iterator
from pathlib import Path
from time import time

import pytest

from polyhead.kernels.code import object_files
from polyhead.kernels.code.eviction import DAY, mark_used, sweep

NOW, BEFORE = "0123456789abcdef", "fedcba9876543210"
"""How the sources are named that code is made of, and others."""
GONE = 2**22 + 1
"""No process has such a number."""


@pytest.fixture(autouse=True)
def afresh() -> Iterator[None]:
    sweep.cache_clear()
    yield
    sweep.cache_clear()


def put(folder: Path, name: str, days: float) -> Path:
    """A file of that age."""
    file = folder / name
    file.write_bytes(b"")
    then = time() - days * DAY
    os.utime(file, (then, then))
    return file


@pytest.mark.parametrize(
    ("name", "days", "stays"),
    [
        (f"layers.decode-{NOW}-1.code", 89, True),
        (f"layers.decode-{NOW}-1.code", 91, False),
        (f"layers.decode-{BEFORE}-1.code", 6, True),
        (f"layers.decode-{BEFORE}-1.code", 8, False),
        ("layers.decode-00112233445566778899aabbccddeeff.code", 8, False),
        (f"layers.decode-{NOW}-1.code.{GONE}.1", 0, False),
        (f"layers.decode-{NOW}-1.code.OURS.1", 0.9, True),
        (f"layers.decode-{NOW}-1.code.OURS.1", 1.1, False),
        ("layers.decode-1.code.what.1", 0, True),
        ("layers.cpython-311.pyc", 1000, True),
        ("notes.txt", 1000, True),
        ("numba-notes.cpython-311.pyc", 1000, True),
    ],
)
def test_what_is_old_goes(tmp_path: Path, name: str, days: float, stays: bool) -> None:
    file = put(tmp_path, name.replace("OURS", str(os.getpid())), days)
    sweep(tmp_path, NOW)
    assert file.exists() == stays


@pytest.mark.parametrize(("sources", "stays"), [(NOW, True), (BEFORE, False)])
def test_so_do_folders_of_numbas(tmp_path: Path, sources: str, stays: bool) -> None:
    folder = tmp_path / f"numba-{sources}"
    folder.mkdir()
    put(folder, "index.nbi", 8)
    os.utime(folder, (0, 0))
    sweep(tmp_path, NOW)
    assert folder.exists() == stays


def test_a_link_goes_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    put(kept, "index.nbi", 8)
    link = tmp_path / f"numba-{BEFORE}"
    link.symlink_to(kept)
    os.utime(link, (0, 0), follow_symlinks=False)
    sweep(tmp_path, NOW)
    assert not link.is_symlink()
    assert (kept / "index.nbi").exists()


def test_what_is_used_stays_young(tmp_path: Path) -> None:
    code = object_files.ObjectFile("a", "b", ("d",), b"c")
    old, recent = (tmp_path / f"layers.{name}-{NOW}-1.code" for name in ("old", "recent"))
    for file, days in ((old, 80), (recent, 0.5)):
        object_files.write(file, code)
        then = time() - days * DAY
        os.utime(file, (then, then))
    before = recent.stat().st_mtime_ns
    assert object_files.read(old) == object_files.read(recent) == code
    assert time() - old.stat().st_mtime < DAY / 2
    assert recent.stat().st_mtime_ns == before, "once a day is enough"
    mark_used(tmp_path / "missing")


def test_ten_upgrades_leave_no_more_than_those_of_a_week(tmp_path: Path) -> None:
    for version in range(10):
        sources = f"{version:016x}"
        for kind in range(5):
            object_files.write(
                tmp_path / f"layers.decode-{sources}-{kind}.code", object_files.ObjectFile("a", "b", ("d",), b"c")
            )
        for file in tmp_path.iterdir():  # three days go by
            then = file.stat().st_mtime - 3 * DAY
            os.utime(file, (then, then))
        sweep.cache_clear()
    assert len({file.name.split("-")[1] for file in tmp_path.iterdir()}) == 3


def test_a_folder_that_is_gone_is_no_error(tmp_path: Path) -> None:
    sweep(tmp_path / "missing", NOW)
