"""Two checkpoints stay, and the snapshots that either asks for."""

from pathlib import Path

import torch

from polyhead.manifest import read_manifest
from polyhead.training.averaging import AveragingConfig
from polyhead.training.checkpoint import Progress, checkpoints, load_checkpoint, save_checkpoint
from polyhead.training.kept import Kept, remove_older

WEIGHTS = {"a": torch.zeros(1)}


def run(directory: Path, updates: tuple[int, ...], count: int = 1) -> Kept:
    """What is on disk after validations at these updates."""
    for name in ("checkpoints", "snapshots"):
        (directory / name).mkdir(exist_ok=True)
    kept, progress = Kept(directory, AveragingConfig(kind="last", count=count)), Progress()
    for update in updates:
        progress.update = update
        kept.save_snapshot(progress, WEIGHTS, 1.0)
        kept.save_checkpoint(progress, WEIGHTS)
    return kept


def updates_in(directory: Path) -> list[int]:
    found = [int(path.stem.removeprefix("update-")) for path in sorted(directory.glob("update-*"))]
    listed = read_manifest(directory)
    assert listed is not None
    assert len(listed) == len(found), "what is deleted is listed no more"
    return found


def test_the_newest_two_and_what_they_ask_for_stay(tmp_path: Path) -> None:
    run(tmp_path, (5, 50, 500, 100_000_000))
    assert updates_in(tmp_path / "checkpoints") == [500, 100_000_000]
    assert updates_in(tmp_path / "snapshots") == [500, 100_000_000]
    assert [load_checkpoint(path)[0].update for path in checkpoints(tmp_path / "checkpoints")] == [500, 100_000_000]


def test_the_one_before_the_newest_has_all_its_snapshots(tmp_path: Path) -> None:
    run(tmp_path, (8, 16, 24, 32), count=2)
    assert updates_in(tmp_path / "snapshots") == [16, 24, 32]


def test_one_that_was_passed_over_goes_when_the_run_has_gone_on(tmp_path: Path) -> None:
    run(tmp_path, (8, 16))
    save_checkpoint(tmp_path / "checkpoints", Progress(update=10, scores={"8": 1.0}), WEIGHTS)
    remove_older(tmp_path, 10)
    assert updates_in(tmp_path / "checkpoints") == [8, 10]
    assert updates_in(tmp_path / "snapshots") == [8]
