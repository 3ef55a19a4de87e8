"""A disk that is full, or a file that may not become longer, ends a run with one sentence; given space it goes on."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faults.conftest import LeftAlone
from tests.faults.runs import outcome
from tests.faults.tally import Tally, tallied

FAULT = "full disk"
PAGE = 4096
FOLDER = "run"


@contextmanager
def small_disk(directory: Path, size: int) -> Iterator[Path]:
    """A file system of so many bytes, mounted at `directory`; skips where that may not be done."""
    directory.mkdir(exist_ok=True)
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root mounts a disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(directory)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no disk may be mounted here: {mounted.stderr.strip()}")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


def enlarge(directory: Path, size: int) -> None:
    """Gives a mounted disk more room."""
    subprocess.run(["mount", "-o", f"remount,size={size}", str(directory)], check=True)


def used(directory: Path) -> int:
    """Bytes of a directory's files on a disk of pages."""
    return sum(-(-path.stat().st_size // PAGE) * PAGE for path in directory.rglob("*") if path.is_file())


def fill(tally: Tally, alone: LeftAlone, directory: Path, size: int) -> None:
    """Lets a run fill a disk of `size` bytes, gives it room, and lets it come to its end."""
    with small_disk(directory, size) as disk:
        answer = alone.run.nursery.run(*alone.run.words, directory=disk)
        said = outcome(answer)
        if said == "done":
            return
        enlarge(disk, 64 << 20)
        problems = [] if said == "refused" else [f"no sentence on the full disk: {said}"]
        problems += alone.run.problems(disk, alone.traces)
        tally.end(problems, f"a disk of {size} bytes")


def test_a_disk_that_fills_at_some_stage(training, tmp_path, record_property):
    with tallied(record_property, FAULT, "training on a disk of some sizes") as tally:
        for share in (0.3, 0.8):
            size = int(used(training.directory) * share) // PAGE * PAGE
            fill(tally, training, tmp_path / FOLDER, size)
        assert tally.outcomes, "no disk was full"


@pytest.mark.faults
@pytest.mark.parametrize("part", range(2))
def test_a_disk_that_fills_at_each_stage(training, tmp_path, part, record_property):
    pages = used(training.directory) // PAGE
    with tallied(record_property, FAULT, "training on a disk of every size, page by page") as tally:
        for number in range(1 + part, pages + 4, max(2, pages // 40 * 2)):
            fill(tally, training, tmp_path / FOLDER, number * PAGE)


@pytest.mark.faults
def test_a_disk_that_fills_while_a_teacher_translates(distillation, tmp_path, record_property):
    pages = used(distillation.directory) // PAGE
    with tallied(record_property, FAULT, "distillation on disks of several sizes") as tally:
        for number in range(1, pages + 4, max(1, pages // 16)):
            fill(tally, distillation, tmp_path / FOLDER, number * PAGE)


@pytest.mark.faults
def test_files_that_may_not_become_long(training, tmp_path, record_property):
    """The same where nothing can be mounted: a limit on the length of a file stands for the disk's."""
    longest = max(path.stat().st_size for path in training.directory.rglob("*") if path.is_file())
    nursery, words = training.run.nursery, training.run.words
    with tallied(record_property, FAULT, "training with a limit on the length of files") as tally:
        for number, size in enumerate(range(PAGE, longest, longest // 12)):  # what it says is a file too
            directory = tmp_path / f"run-{number}"
            directory.mkdir()
            said = outcome(nursery.run(*words, directory=directory, file_bytes=size))
            problems = [] if said == "refused" else [f"no sentence with that limit: {said}"]
            tally.end([*problems, *training.run.problems(directory, training.traces)], f"files of {size} bytes at most")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no device that is always full")  # noqa: PTH110
@pytest.mark.parametrize("command", ["translate", "info"])
def test_an_output_that_does_not_fit_is_one_sentence(learnt, tmp_path, command):
    answer = learnt.run.nursery.run(
        command, learnt.directory / "model", directory=tmp_path, stdin="bado kilu\n", stdout="/dev/full"
    )
    assert outcome(answer) == "refused", answer.err[-500:]
