"""How a worker ends, without a cluster: what is told to the board, and what is left to Ray Train."""

import pickle
from pathlib import Path

import pytest
import torch

from polyhead.cli.ending import ending_of
from polyhead.errors import DataError, PolyheadError, TrainingError
from polyhead.recipe.on_ray import worker
from polyhead.recipe.on_ray.worker import Job, _check_place, _enter, _sendable, work
from polyhead.training.world import Deserted


@pytest.fixture
def job(board, tmp_path) -> Job:
    return Job({}, False, str(tmp_path), tmp_path / "model", 1, False, 3, board)


@pytest.fixture(autouse=True)
def without_ray(monkeypatch, ray):
    monkeypatch.setattr(worker, "import_module", lambda name: ray)


def ends_with(monkeypatch, error: Exception | None) -> None:
    def train(job, ray):
        if error is not None:
            raise error

    monkeypatch.setattr(worker, "_train", train)


def test_a_worker_that_has_trained_says_nothing_of_an_end(monkeypatch, job, board):
    ends_with(monkeypatch, None)
    work({"job": job})
    assert not board.actor.is_refused()


@pytest.mark.parametrize("error", [DataError("empty", "x.txt", 3), ValueError("a fault"), OSError(28, "full", "x")])
def test_what_a_restart_would_meet_again_is_told_and_not_raised(monkeypatch, job, board, error):
    ends_with(monkeypatch, error)
    work({"job": job})
    assert str(error) in str(board.actor.news().refusal)


def test_a_lost_worker_is_left_to_ray_train(monkeypatch, job, board):
    ends_with(monkeypatch, Deserted("gone"))
    with pytest.raises(Deserted):
        work({"job": job})
    assert not board.actor.is_refused()


def test_one_that_refused_is_not_lost(monkeypatch, job, board):
    """The others notice that it has left, but to start all again would be of no use."""
    ends_with(monkeypatch, Deserted("gone"))
    refusal = TrainingError("the reason")
    board.actor.refuse(refusal)
    work({"job": job})
    assert board.actor.news().refusal is refusal


@pytest.mark.parametrize(
    "error",
    [
        DataError("empty", "x.txt", 3),
        OSError(28, "No space left on device", "x.txt"),
        OSError("closed"),
        MemoryError(),
        torch.OutOfMemoryError("CUDA out of memory"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_from_another_process_ends_the_command_as_its_own_would(error):
    sent = pickle.loads(pickle.dumps(_sendable(error)))
    assert ending_of(sent, ["train"]) == ending_of(error, ["train"])


def test_a_fault_of_this_program_brings_its_traceback():
    try:
        raise KeyError("here")
    except KeyError as error:
        sent = pickle.loads(pickle.dumps(_sendable(error)))
    assert "test_worker.py" in str(sent)
    assert "KeyError: 'here'" in str(sent)
    assert ending_of(sent, ["train"]) is None


def test_a_machine_without_the_directory_of_the_command_is_named(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    _enter(str(tmp_path))
    assert Path.cwd() == tmp_path
    with pytest.raises(PolyheadError, match="of the Ray cluster has no directory"):
        _enter(str(tmp_path / "elsewhere"))


def test_a_restart_where_the_model_directory_is_not_is_refused(job, ray, board, tmp_path):
    _check_place(job, ray)  # nothing was written anywhere yet
    board.actor.keep()
    with pytest.raises(TrainingError, match="put it on a path that all machines of the cluster reach"):
        _check_place(job, ray)
    (job.out / "training").mkdir(parents=True)
    (job.out / "training" / "recipe.toml").touch()
    _check_place(job, ray)
