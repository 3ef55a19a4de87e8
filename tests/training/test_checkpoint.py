"""Checkpoints: nothing is lost, nothing damaged is believed."""

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from polyhead.data.loader import Position
from polyhead.errors import TrainingError, WriteError
from polyhead.manifest import accept
from polyhead.training.checkpoint import Progress, checkpoints, load_checkpoint, save_checkpoint

PROGRESS = Progress(
    update=1234,
    position=Position(epoch=3, batch=17),
    best_score=41.25,
    best_update=1200,
    stale=1,
    seconds=98.7654321,
    finished=True,
    scores={"1100": 40.0, "1200": 41.25},
)


def test_round_trip_restores_everything(tmp_path: Path) -> None:
    tensors = {"weights.a": torch.randn(3, 4).t(), "step": torch.tensor(7.0), "low": torch.randn(5).bfloat16()}
    path = save_checkpoint(tmp_path, PROGRESS, tensors)
    assert path.name == "update-00001234.safetensors"
    progress, loaded = load_checkpoint(path)
    assert progress == PROGRESS
    torch.testing.assert_close(loaded, tensors, atol=0, rtol=0)


def test_a_fresh_start_round_trips(tmp_path: Path) -> None:
    progress, tensors = load_checkpoint(save_checkpoint(tmp_path, Progress(), {}))
    assert progress == Progress()
    assert tensors == {}


def test_a_failed_save_leaves_the_last_one_and_no_rubbish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_checkpoint(tmp_path, Progress(update=1), {"a": torch.ones(1)})

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match="No space left"):
        save_checkpoint(tmp_path, Progress(update=2), {"a": torch.ones(1)})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["SHA256SUMS", "update-00000001.safetensors"]


def test_files_on_their_way_are_no_checkpoints(tmp_path: Path) -> None:
    (tmp_path / ".update-00000009.safetensors.abc").write_bytes(b"half")
    assert checkpoints(tmp_path) == []
    assert checkpoints(tmp_path / "missing") == []


def damaged(name: str, path: Path) -> None:
    whole = path.read_bytes()
    if name == "cut short":
        path.write_bytes(whole[: len(whole) // 2])
    elif name == "empty":
        path.write_bytes(b"")
    elif name == "no safetensors":
        path.write_bytes(b"PK\x03\x04 a zip of something else, long enough to be read as a header length")
    elif name == "missing":
        path.unlink()
    elif name == "weights only":
        save_file({"a": torch.zeros(1)}, path)
    elif name == "no progress":
        save_file({"a": torch.zeros(1)}, path, {"format": "1"})
    elif name == "progress of another version":
        metadata = {"format": "1", "progress": '{"position": {"epoch": 0, "batch": 0}, "colour": 1}'}
        save_file({"a": torch.zeros(1)}, path, metadata)


@pytest.mark.parametrize(
    "name",
    [
        "cut short", "empty", "no safetensors", "missing", "weights only", "no progress",
        "progress of another version",
    ],
)  # fmt: skip
def test_a_damaged_file_is_named_and_refused(tmp_path: Path, name: str) -> None:
    path = save_checkpoint(tmp_path, PROGRESS, {"a": torch.randn(100)})
    damaged(name, path)
    for _ in range(2):  # as it is found by its digest, and by what it contains where it was taken on as it is
        with pytest.raises(TrainingError, match="update-00001234"):
            load_checkpoint(path)
        accept(tmp_path)


@pytest.mark.parametrize(
    "wrong",
    [
        {"update": -1}, {"update": 1 << 60}, {"update": "many"}, {"update": None}, {"position": [1, 2]}, {"scores": 3},
        {"position": {"epoch": 0, "batch": -1}}, {"best_score": float("nan")}, {"seconds": "long"}, {"colour": 1},
    ],
)  # fmt: skip
def test_a_progress_that_cannot_be_is_refused(tmp_path: Path, wrong: dict[str, object]) -> None:
    path = save_checkpoint(tmp_path, PROGRESS, {"a": torch.zeros(1)})
    save_file({"a": torch.zeros(1)}, path, {"format": "1", "progress": json.dumps({**asdict(PROGRESS), **wrong})})
    accept(tmp_path)
    with pytest.raises(TrainingError, match="update-00001234.safetensors is not a checkpoint"):
        load_checkpoint(path)
