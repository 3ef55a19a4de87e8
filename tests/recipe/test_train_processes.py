"""Training as processes of its own: two in one directory, one killed, one whose directory goes away, one read from."""

import contextlib
import hashlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest
import tomli_w

from polyhead.recipe.train import train
from polyhead.run_lock import LOCK

pytestmark = pytest.mark.slow


def command(toy, out: str, **keys) -> list[str]:
    """`polyhead train` of the toy pair, long enough to be caught in the act."""
    keys = {"training__max_updates": 400, "training__validate_every": 40, **keys}
    file = toy.directory / f"{out}.toml"
    file.write_text(tomli_w.dumps(toy.values(out, **keys)))
    return [sys.executable, "-m", "polyhead", "train", str(file)]


@contextlib.contextmanager
def training(arguments: list[str], until: Path) -> Generator[subprocess.Popen[str]]:
    """A process that runs, from when a file of its has appeared on."""
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as process:
        try:
            while process.poll() is None and not until.exists():
                time.sleep(0.01)
            yield process
        finally:
            process.kill()


def weights(directory: Path) -> str:
    return hashlib.sha256((directory / "model.safetensors").read_bytes()).hexdigest()


def test_of_two_at_once_one_trains_as_if_it_were_alone_and_the_other_says_so(toy):
    subprocess.run(command(toy, "alone"), check=True, capture_output=True)
    arguments = command(toy, "model")
    model = toy.directory / "model"
    with training(arguments, model / LOCK) as first:
        os.kill(first.pid, signal.SIGSTOP)  # so that it is surely under way
        for more in ([], ["--resume"]):
            second = subprocess.run([*arguments, *more], capture_output=True, text=True, check=False)
            assert second.returncode == 1
            assert second.stderr.startswith(
                f"polyhead: {model} is in use by another polyhead process (process {first.pid} on "
            )
            assert second.stderr.count("\n") == 1
        os.kill(first.pid, signal.SIGCONT)
        errors = first.communicate()[1]
        assert first.returncode == 0, errors
    assert weights(model) == weights(toy.directory / "alone")
    assert not (model / LOCK).exists()


def test_a_killed_run_can_be_gone_on_with_at_once(toy):
    arguments = command(toy, "model")
    model = toy.directory / "model"
    with training(arguments, model / "model.safetensors") as process:
        process.send_signal(signal.SIGKILL)
    assert (model / LOCK).exists()
    subprocess.run([*arguments, "--resume"], check=True, capture_output=True)
    subprocess.run(command(toy, "alone"), check=True, capture_output=True)
    assert weights(model) == weights(toy.directory / "alone")
    assert not (model / LOCK).exists()


@pytest.mark.parametrize("change", ["deleted", "moved", "replaced"])
def test_a_directory_that_goes_away_ends_the_run_with_one_sentence(toy, change):
    model = toy.directory / "model"
    with training(command(toy, "model"), model / "model.safetensors") as process:
        if change == "deleted":
            while model.exists():  # the run may be writing there meanwhile
                shutil.rmtree(model, ignore_errors=True)
        else:
            model.rename(toy.directory / "elsewhere")
        if change == "replaced":
            shutil.copytree(toy.directory / "elsewhere", model)
            before = {path: path.read_bytes() for path in model.rglob("*") if path.is_file()}
        errors = process.communicate()[1]
    assert process.returncode == 1
    assert "Traceback" not in errors
    assert f"{model}" in errors.splitlines()[-1]
    if change == "replaced":
        assert {path: path.read_bytes() for path in model.rglob("*") if path.is_file()} == before
    else:
        assert not model.exists()


@pytest.mark.parametrize("folder", ["checkpoints", "snapshots"])
def test_a_folder_that_goes_away_is_named(toy, folder):
    gone = toy.directory / "model" / "training" / folder
    with training(command(toy, "model"), toy.directory / "model" / "model.safetensors") as process:
        while gone.exists():
            shutil.rmtree(gone, ignore_errors=True)
        errors = process.communicate()[1]
    assert process.returncode == 1
    assert errors.splitlines()[-1].startswith(f"polyhead: {gone}")
    assert "there is no directory" in errors.splitlines()[-1]
    assert not gone.exists()


def test_the_best_model_so_far_translates_while_the_run_goes_on(toy):
    model = toy.directory / "model"
    with training(command(toy, "model"), model / "model.safetensors") as process:
        os.kill(process.pid, signal.SIGSTOP)  # so that it is surely under way
        translated = subprocess.run(
            [sys.executable, "-m", "polyhead", "translate", str(model)],
            input="bado kilu\n",
            capture_output=True,
            text=True,
            check=False,
        )
        os.kill(process.pid, signal.SIGCONT)
        assert translated.returncode == 0, translated.stderr
        assert translated.stdout.count("\n") == 1
        process.communicate()
    assert process.returncode == 0


@pytest.mark.parametrize("size", [1_000, 20_000])
def test_files_that_may_not_be_so_large_cost_nothing_that_was_written(toy, size):
    """The system refuses larger ones as it does on a full disk: the vocabulary, or a snapshot."""
    arguments = command(toy, "model", training__max_updates=20, training__validate_every=8)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    refused = subprocess.run(arguments, preexec_fn=limit, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    assert "cannot be written: File too large; what was there before is untouched" in refused.stderr.splitlines()[-1]
    assert not [each for each in toy.directory.rglob("*") if each.name.startswith(".")]
    resume = ["--resume"] if (toy.directory / "model" / "training" / "recipe.toml").exists() else []
    subprocess.run([*arguments, *resume], check=True, capture_output=True)
    subprocess.run(
        command(toy, "alone", training__max_updates=20, training__validate_every=8), check=True, capture_output=True
    )
    assert weights(toy.directory / "model") == weights(toy.directory / "alone")


def test_a_run_that_is_refused_leaves_nothing_behind(toy):
    values = toy.values("new/model", model__num_heads=3)
    with pytest.raises(Exception, match="num_heads"):
        train(values)
    assert not (toy.directory / "new").exists()
    (toy.directory / "empty").mkdir()
    assert train(toy.values("empty", training__max_updates=2)).finished
