"""`polyhead train --ray`: its options, and, where Ray is installed, real runs whose workers are killed and stopped."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from polyhead.recipe.follow import follow
from polyhead.recipe.train import train
from tests.launches import Launch, recipe, weights
from tests.together import together

SOON = 600.0
"""Seconds after which a run is taken to hang; on a busy machine Ray takes most of them to start its processes."""

on_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")


@pytest.mark.parametrize("option", ["--ray-workers=2", "--ray-restarts=0", "--ray-storage=there"])
def test_what_is_for_ray_needs_ray(polyhead, toy, option):
    answer = polyhead("train", recipe(toy, "model"), option)
    assert answer.status == 2
    assert f"{option.partition('=')[0]} is for training on Ray: give --ray as well" in answer.err


@pytest.mark.parametrize("option", ["--ray-workers=0", "--ray-gpus=2", "--ray-restarts=-1", "--ray-cpus=0.5"])
def test_numbers_out_of_bounds_are_wrong_usage(polyhead, toy, option):
    answer = polyhead("train", recipe(toy, "model"), "--ray", option)
    assert answer.status == 2
    assert option.partition("=")[0] in answer.err


def test_ray_and_torchrun_do_not_go_together(polyhead, toy, monkeypatch):
    for name, value in {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}.items():
        monkeypatch.setenv(name, value)
    answer = polyhead("train", recipe(toy, "model"), "--ray")
    assert answer.status == 2
    assert "--ray starts the processes itself: leave out torchrun" in answer.err


def test_a_wrong_recipe_is_refused_before_ray_is_started(polyhead, toy):
    answer = polyhead("train", recipe(toy, "model"), "--ray", "--model.kind=none")
    assert answer.status == 1
    assert "model.kind" in answer.err
    assert "Ray:" not in answer.err


def test_without_ray_it_says_what_to_install(polyhead, toy, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    answer = polyhead("train", recipe(toy, "model"), "--ray")
    assert answer.status == 1
    assert answer.err == "polyhead: train --ray needs the package ray: pip install 'polyhead[ray]'\n"


class Run(Launch):
    """The command, and the workers that Ray has started for it."""

    def workers(self) -> list[int]:
        """The workers of this run, in the order of their starts, which is that of their ranks on one machine."""
        found: list[int] = []
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                environment = (folder / "environ").read_bytes()
                is_worker = (folder / "cmdline").read_bytes().startswith(b"ray::RayTrainWorker")
                if is_worker and f"POLYHEAD_TEST={self.file}".encode() in environment.split(b"\0"):
                    found.append(int(folder.name))
        return sorted(found)


@contextmanager
def started(toy, *words: str) -> Generator[Run]:
    """A command in a session of its own, as in a terminal; it starts a cluster, which ends with it."""
    said = toy.directory / f"said-{time.monotonic_ns()}"
    environment = {**os.environ, "POLYHEAD_TEST": str(said)}
    with said.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "polyhead", "train", *words, "--ray", "--ray-workers=2"],
            cwd=toy.directory,
            env=environment,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        yield Run(process, said, SOON)
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def calm(toy, out: str, **keys) -> bytes:
    """The weights that two processes train when nobody disturbs them."""
    values = toy.values(out, **{"training__validate_every": 10, "model__dropout": 0.2, **keys})
    together(2, lambda world: train(values, world=world).finished if world.rank == 0 else follow(world))
    return weights(toy.directory / out)


@on_ray
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a process that has threads is copied
def test_killed_workers_are_restarted_and_the_run_ends_as_if_it_had_been_left_alone(toy):
    """First worker 1 is killed, then worker 0, which holds the lock of the directory; nobody says --resume."""
    with started(toy, recipe(toy, "model")) as run:
        for count, (update, rank) in enumerate(((20, 1), (40, 0)), start=1):
            run.until(f"update {update} · dev_loss")
            os.kill(run.workers()[rank], signal.SIGKILL)
            run.until(f"a worker was lost: all are started again, time {count} of 3")
            run.until("resuming after update ", count)
        assert run.status() == 0, run.said
    assert run.sentences == []
    assert weights(toy.directory / "model") == calm(toy, "calm", training__max_updates=60)


@on_ray
@pytest.mark.slow
def test_ctrl_c_in_the_terminal_stops_the_workers_and_one_process_can_go_on(toy):
    """A terminal sends it to all processes that it knows of; a second run is stopped by SIGTERM."""
    arguments = recipe(toy, "model", training__max_updates=100_000)
    with started(toy, arguments) as run:
        run.until("update 20 · dev_loss")
        os.killpg(run.process.pid, signal.SIGINT)
        assert run.status() == 130, run.said
    assert run.said.count("; the same command with --resume goes on from there") == 1
    assert run.sentences == []
    with started(toy, arguments, "--resume") as run:
        run.until("resuming after update ")
        run.until("· dev_loss")
        run.process.send_signal(signal.SIGTERM)
        assert run.status() == 130, run.said
    assert run.said.count("; the same command with --resume goes on from there") == 1
    go_on = [sys.executable, "-m", "polyhead", "train", arguments, "--resume", "--training.max_updates=60"]
    done = subprocess.run(go_on, check=True, capture_output=True, text=True, cwd=toy.directory)
    assert "resuming after update " in done.stderr


@on_ray
@pytest.mark.slow
def test_a_signal_before_the_run_has_begun_ends_it_at_once(toy):
    with started(toy, recipe(toy, "model")) as run:
        run.until("Ray: 2 workers")
        run.process.send_signal(signal.SIGINT)
        assert run.status() == 130, run.said
    assert run.sentences == ["polyhead: interrupted"]


@on_ray
@pytest.mark.slow
def test_workers_that_are_lost_too_often_end_the_run_in_a_sentence(toy):
    with started(toy, recipe(toy, "model", training__max_updates=100_000), "--ray-restarts=0") as run:
        run.until("update 20 · dev_loss")
        os.kill(run.workers()[0], signal.SIGKILL)
        assert run.status() == 1, run.said
    (sentence,) = run.sentences
    assert sentence.startswith("polyhead: workers were lost 1 time, more often than --ray-restarts 0 makes up for")


@on_ray
@pytest.mark.slow
@pytest.mark.parametrize("which", ["all", "the second"])
def test_what_a_worker_refuses_is_said_once_and_never_tried_again(toy, which):
    """A file that isn't there, in all of them; and one in which every process reads something else."""
    path = "/proc/self/stat" if which == "the second" else str(toy.directory / "nothing")
    corpus = {"kind": "lines", "source": path, "target": path}
    train_ = [corpus, toy.write("train", 150)] if which == "the second" else [corpus]
    with started(toy, recipe(toy, "model", data__train=train_)) as run:
        assert run.status() == 1, run.said
    (sentence,) = run.sentences
    assert "there is no such file" in sentence or "process 1 reads other sentence pairs than process 0" in sentence
    assert "a worker was lost" not in run.said
    assert "Traceback" not in run.said
    assert not (toy.directory / "model").exists()
