"""What machine code is for: what sources hold, not when they were written."""

import ast
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from polyhead.kernels.code import sources
from polyhead.kernels.code.sources import OWN, are_unchanged, digest_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("a = 1")
    (tmp_path / "b.py").write_text("b = 2")
    return tmp_path


def now(folder: Path) -> str | None:
    digest_of.cache_clear()
    return digest_of(folder)


def _longer(folder: Path) -> None:
    (folder / "a.py").write_text("a = 1\n")


def _other(folder: Path) -> None:
    before = (folder / "a.py").stat()
    (folder / "a.py").write_text("a = 2")
    os.utime(folder / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))


def _exchanged(folder: Path) -> None:
    (folder / "a.py").rename(folder / "c.py")
    (folder / "b.py").rename(folder / "a.py")
    (folder / "c.py").rename(folder / "b.py")


def _more(folder: Path) -> None:
    (folder / "c.py").write_text("")


def _fewer(folder: Path) -> None:
    (folder / "b.py").unlink()


@pytest.mark.parametrize("change", [_longer, _other, _exchanged, _more, _fewer])
def test_every_change_of_content_is_seen(folder: Path, change: Callable[[Path], None]) -> None:
    before = now(folder)
    assert are_unchanged(folder)
    change(folder)
    assert not are_unchanged(folder), "for the process that has seen them before it was"
    assert now(folder) != before


def test_times_and_other_files_are_not(folder: Path) -> None:
    before = now(folder)
    os.utime(folder / "a.py", (0, 0))
    (folder / "notes.txt").write_text("a")
    assert now(folder) == before


def test_our_own_kernels_are_part_of_every_digest(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = {file.parent for file in OWN.rglob("*.py")}
    assert OWN / "packing" in rooms
    before = [now(each) for each in (folder, OWN, OWN / "packing")]
    monkeypatch.setattr(sources, "_IMPORTED", b"other")
    assert all(now(each) != one for each, one in zip((folder, OWN, OWN / "packing"), before, strict=True))
    assert before[1] == before[2] != before[0]
    monkeypatch.undo()
    digest_of.cache_clear()


def _imported(file: Path) -> set[str]:
    """The modules of ours that a file names in its imports."""
    lines = ast.walk(ast.parse(file.read_text()))
    found = {line.module or "" for line in lines if isinstance(line, ast.ImportFrom)}
    return {name for name in found if name.startswith("polyhead")}


def test_kernels_elsewhere_are_made_of_what_their_digest_covers() -> None:
    """Of the files of their own folder and of those of `kernels/`: a change of another one would go unseen."""
    package = OWN.parent
    elsewhere = {file: _imported(file) for file in package.rglob("*.py") if not file.is_relative_to(OWN)}
    kernels = {file: names for file, names in elsewhere.items() if "polyhead.kernels.kernel" in names}
    assert package / "engine" / "step" / "layers.py" in kernels
    for file, names in kernels.items():
        folder = ".".join(("polyhead", *file.parent.relative_to(package).parts))
        assert all(name.startswith("polyhead.kernels.") or name.rpartition(".")[0] == folder for name in names), file


def test_sources_that_cannot_be_read_have_none(folder: Path) -> None:
    (folder / "c.py").symlink_to(folder / "nowhere")
    assert now(folder) is None
