"""What is damaged on disk is not gone on from: an older whole file is, and it is said."""

import hashlib
import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from polyhead.errors import TrainingError
from polyhead.manifest import accept
from polyhead.recipe.train import train
from polyhead.training.checkpoint import checkpoints, load_checkpoint

LAST = {"training__averaging": {"kind": "last", "count": 2}}
EMA = {"training__averaging": {"kind": "ema", "decay": 0.9}}


@pytest.fixture
def begun(toy):
    """A run of 16 updates, with checkpoints and snapshots of the updates 8 and 16."""

    def begin(keys):
        directory = train(toy.values(training__max_updates=16, **keys)).directory
        assert [path.name for path in checkpoints(directory / "training" / "checkpoints")] == [
            "update-00000008.safetensors", "update-00000016.safetensors",
        ]  # fmt: skip
        return directory

    return begin


def go_on(toy, keys, updates=24):
    return train(toy.values(training__max_updates=updates, **keys), resume=True).directory


def flip(path: Path) -> None:
    """One bit in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(data)


def weights(directory: Path) -> str:
    return hashlib.sha256((directory / "model.safetensors").read_bytes()).hexdigest()


def alone(toy, keys, updates=24) -> str:
    """The final weights of a run that nothing happened to."""
    return weights(train(toy.values("alone", training__max_updates=updates, **keys)).directory)


# A running mean is in the checkpoint and needs no snapshots.
@pytest.mark.parametrize(("keys", "folder"), [(LAST, "checkpoints"), (EMA, "checkpoints"), (LAST, "snapshots")])
def test_the_checkpoint_before_is_gone_on_from(toy, begun, capsys, keys, folder):
    directory = begun(keys)
    path = directory / "training" / folder / "update-00000016.safetensors"
    flip(path)
    assert weights(go_on(toy, keys)) == alone(toy, keys)
    said = capsys.readouterr().err
    assert "update-00000016.safetensors is damaged" in said
    assert "before it" in said
    assert "resuming after update 8" in said


def test_the_oldest_checkpoint_is_not_passed_over_for_one_before_it(toy, begun, capsys):
    """The newer one lacks a snapshot, and is taken in the end."""
    directory = begun(LAST)
    (directory / "training" / "snapshots" / "update-00000016.safetensors").unlink()
    flip(directory / "training" / "checkpoints" / "update-00000008.safetensors")
    go_on(toy, LAST)
    said = capsys.readouterr().err
    assert "it is not used" in said
    assert said.count("before it") == 1
    assert "resuming after update 16" in said


def test_a_missing_snapshot_is_made_again(toy, begun, capsys):
    directory = begun(LAST)
    (directory / "training" / "snapshots" / "update-00000016.safetensors").unlink()
    assert weights(go_on(toy, LAST)) == alone(toy, LAST)
    assert "the snapshot of update 16 cannot be read" in capsys.readouterr().err


def test_an_old_damaged_snapshot_is_left_out_of_the_average_and_that_is_said(toy, begun, capsys):
    keys = {"training__averaging": {"kind": "last", "count": 3}}
    directory = begun(keys)
    flip(directory / "training" / "snapshots" / "update-00000008.safetensors")
    assert weights(go_on(toy, keys)) != alone(toy, keys)
    assert "the final average is made without it" in capsys.readouterr().err


def test_a_list_that_names_no_snapshots_is_not_gone_on_with(toy, begun):
    directory = begun(LAST)
    (directory / "training" / "snapshots" / "SHA256SUMS").write_text("")
    with pytest.raises(TrainingError, match=r"update-000000\d\d\.safetensors is not listed in SHA256SUMS"):
        go_on(toy, LAST)


def test_with_no_whole_checkpoint_training_ends_with_a_sentence(toy, begun):
    directory = begun(LAST)
    for path in checkpoints(directory / "training" / "checkpoints"):
        flip(path)
    with pytest.raises(TrainingError, match=r"update-00000008\.safetensors is damaged"):
        go_on(toy, LAST)


@pytest.mark.parametrize("keys", [LAST, EMA], ids=["last", "ema"])
@pytest.mark.parametrize("change", ["shape", "dtype", "missing"])
def test_tensors_that_do_not_fit_are_refused_before_any_is_taken(toy, begun, capsys, keys, change):
    directory = begun(keys)
    path = checkpoints(directory / "training" / "checkpoints")[-1]
    progress, before = load_checkpoint(path)
    for name in [name for name in before if name.startswith(("weights.", "mean.", "adam.exp_avg."))][-1::-5]:
        tensors = {key: tensor.clone() for key, tensor in before.items()}
        match change:
            case "shape":
                tensors[name] = torch.cat([tensors[name], tensors[name]])
            case "dtype":
                tensors[name] = tensors[name].double()
            case "missing":
                del tensors[name]
        metadata = {"format": "1", "progress": json.dumps({"update": 16, "scores": {"8": 1.0}})}
        save_file(tensors, path, metadata)
        accept(path.parent)
        assert progress.update == 16
        go_on(toy, keys, 10)
        assert f"{name} that fits" in capsys.readouterr().err.replace("running mean of ", "mean.")


def test_a_finished_run_whose_model_is_damaged_makes_it_again(toy, begun, capsys):
    directory = begun(LAST)
    whole = weights(directory)
    flip(directory / "model.safetensors")
    go_on(toy, LAST, 16)
    assert weights(directory) == whole
    capsys.readouterr()
    go_on(toy, LAST, 16)
    assert "this run is finished" in capsys.readouterr().err


def test_a_damaged_vocabulary_is_trained_again_if_it_comes_out_the_same(toy, begun, capsys):
    directory = begun(LAST)
    vocabulary = directory / "shared.spm"
    whole = vocabulary.read_bytes()
    flip(vocabulary)
    assert weights(go_on(toy, LAST)) == alone(toy, LAST)
    assert vocabulary.read_bytes() == whole
    assert "training the tokenizer again" in capsys.readouterr().err


def test_snapshots_are_of_whole_files_only(toy, begun):
    directory = begun(LAST)
    names = {path.name for path in (directory / "training" / "snapshots").iterdir()}
    assert names == {"SHA256SUMS", "update-00000008.safetensors", "update-00000016.safetensors"}
    assert load_file(directory / "training" / "snapshots" / "update-00000016.safetensors")
