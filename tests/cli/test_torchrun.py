"""`torchrun … -m polyhead train`: real launches, whose processes are killed, asked to stop, refused and restarted."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import tomli_w

from polyhead.run_lock import LOCK
from tests.launches import Launch, recipe, weights
from tests.together import free_port

TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]
TWO = ("--nproc-per-node", "2")
SOON = 60.0
"""Seconds after which a launch that should end is taken to hang; starting Python with PyTorch takes most of them."""


@contextmanager
def launched(directory: Path, *words: str, launcher: tuple[str, ...] = TWO) -> Generator["Torchrun"]:
    """Processes that torchrun starts in a directory of this test's; what still runs at the end is killed."""
    said = directory / f"said-{time.monotonic_ns()}"
    with said.open("wb") as file:
        process = subprocess.Popen(
            [*TORCHRUN, *launcher, "-m", "polyhead", *words], cwd=directory, stdout=file, stderr=file
        )
    launch = Torchrun(process, said, SOON)
    try:
        yield launch
    finally:
        for number in [*launch.workers(), process.pid]:
            kill(number)
        process.wait()


def kill(process: int, number: int = signal.SIGKILL) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, number)


class Torchrun(Launch):
    """torchrun and its processes."""

    def workers(self) -> list[int]:
        """The processes that torchrun has started, in the order of their ranks."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        found = [int(number) for number in children.read_text().split()] if children.exists() else []
        return sorted(number for number in found if b"polyhead" in Path(f"/proc/{number}/cmdline").read_bytes())


def metrics(directory: Path) -> list[dict]:
    lines = (directory / "training" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    timings = ("seconds", "target_tokens_per_second")
    return [{key: value for key, value in json.loads(line).items() if key not in timings} for line in lines]


def test_a_refused_recipe_is_refused_in_one_sentence_said_once(toy):
    with launched(toy.directory, "train", recipe(toy, "model", model__num_heads=3)) as launch:
        assert launch.status() != 0
    (sentence,) = launch.sentences
    assert "num_heads = 3" in sentence
    assert "polyhead/" not in launch.said, "a traceback"
    assert not (toy.directory / "model").exists()


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--minutes", "soon"], ["--no-such-option=1"]], ids=["value", "option"])
def test_wrong_usage_is_said_once(toy, words):
    with launched(toy.directory, "train", recipe(toy, "model"), *words) as launch:
        assert launch.status() != 0
    assert len(launch.sentences) == 1
    assert words[0].removeprefix("--").partition("=")[0] in launch.sentences[0]


@pytest.mark.slow
def test_two_processes_write_one_model_and_say_everything_once(toy):
    with launched(toy.directory, "train", recipe(toy, "model", model__dropout=0.0)) as launch:
        assert launch.status() == 0
    for words in ("reading the corpus", "vocabulary: ", "update 60 ", "scoring dev", "the model is in"):
        assert launch.said.count(words) == 1, words
    subprocess.run(
        [sys.executable, "-m", "polyhead", "train", recipe(toy, "alone", model__dropout=0.0)],
        check=True,
        capture_output=True,
    )
    for line, other in zip(metrics(toy.directory / "model"), metrics(toy.directory / "alone"), strict=True):
        assert line == pytest.approx(other, rel=1e-3)
    assert not (toy.directory / "model" / LOCK).exists()
    verified = [sys.executable, "-m", "polyhead", "verify", str(toy.directory / "model")]
    subprocess.run(verified, check=True, capture_output=True)


@pytest.mark.slow
def test_killed_processes_are_restarted_and_the_run_ends_as_if_it_had_been_left_alone(toy):
    """First process 1 is killed, then process 0, which holds the lock of the directory; nobody says --resume."""
    with launched(toy.directory, "train", recipe(toy, "calm")) as launch:
        assert launch.status() == 0
    launcher = ("--nproc-per-node", "2", "--max-restarts", "3")
    with launched(toy.directory, "train", recipe(toy, "model"), launcher=launcher) as launch:
        for count, (update, rank) in enumerate(((20, 1), (40, 0)), start=1):
            launch.until(f"update {update} · dev_loss")
            kill(launch.workers()[rank])
            launch.until("resuming after update ", count)
        assert launch.status() == 0
    assert launch.said.count("reading the corpus") == 3
    assert all("another process of this run has ended" in sentence for sentence in launch.sentences)
    assert len(launch.sentences) == 2
    assert metrics(toy.directory / "model") == metrics(toy.directory / "calm")
    assert weights(toy.directory / "model") == weights(toy.directory / "calm")
    assert not (toy.directory / "model" / LOCK).exists()


@pytest.mark.slow
def test_a_single_process_is_restarted_too(toy):
    launcher = ("--nproc-per-node", "1", "--max-restarts", "1")
    with launched(toy.directory, "train", recipe(toy, "model"), launcher=launcher) as launch:
        launch.until("update 20 · dev_loss")
        kill(launch.workers()[0])
        assert launch.status() == 0
    assert launch.said.count("resuming after update ") == 1
    alone = recipe(toy, "alone")
    subprocess.run([sys.executable, "-m", "polyhead", "train", alone], check=True, capture_output=True)
    assert weights(toy.directory / "model") == weights(toy.directory / "alone")


@pytest.mark.slow
def test_a_restart_goes_on_with_no_run_but_its_own(toy):
    """Who forgets --resume is refused as often as torchrun tries; what was there stays."""
    with launched(toy.directory, "train", recipe(toy, "model")) as launch:
        assert launch.status() == 0
    before = {path: path.read_bytes() for path in (toy.directory / "model").rglob("*") if path.is_file()}
    launcher = ("--nproc-per-node", "2", "--max-restarts", "1")
    with launched(toy.directory, "train", recipe(toy, "model"), launcher=launcher) as launch:
        assert launch.status() != 0
    assert ["already holds a model or a run" in sentence for sentence in launch.sentences] == [True, True]
    assert {path: path.read_bytes() for path in (toy.directory / "model").rglob("*") if path.is_file()} == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_asked_to_stop_all_stop_and_one_process_can_go_on(toy, name):
    arguments = recipe(toy, "model", training__max_updates=100_000, model__dropout=0.0)
    with launched(toy.directory, "train", arguments) as launch:
        launch.until("update 20 · dev_loss")
        workers = launch.workers()
        launch.process.send_signal(getattr(signal, name))
        assert launch.status() != 0
    assert launch.said.count("; the same command with --resume goes on from there") == 1
    assert launch.sentences == []
    assert "polyhead/" not in launch.said, "a traceback"
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
    updates = metrics(toy.directory / "model")[-1]["update"] + 20
    go_on = [sys.executable, "-m", "polyhead", "train", arguments, "--resume", f"--training.max_updates={updates}"]
    subprocess.run(go_on, check=True, capture_output=True)
    alone = recipe(toy, "alone", training__max_updates=updates, model__dropout=0.0)
    subprocess.run([sys.executable, "-m", "polyhead", "train", alone], check=True, capture_output=True)
    found, other = metrics(toy.directory / "model"), metrics(toy.directory / "alone")
    assert found[-1]["dev_loss"] == pytest.approx(other[-1]["dev_loss"], rel=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("rank", [0, 1])
def test_a_process_that_is_killed_ends_the_other_in_one_sentence(toy, rank):
    arguments = recipe(toy, "model", training__max_updates=100_000)
    with launched(toy.directory, "train", arguments) as launch:
        launch.until("update 10 · dev_loss")
        kill(launch.workers()[rank])
        assert launch.status() != 0
    (sentence,) = launch.sentences
    assert sentence.startswith("polyhead: another process of this run has ended or cannot be reached")
    assert "polyhead/" not in launch.said, "a traceback"


@pytest.mark.slow
def test_a_signal_while_the_corpus_is_prepared_ends_all_with_one_sentence(toy):
    with launched(toy.directory, "train", recipe(toy, "model", data__train=[toy.write("train", 20_000)])) as launch:
        launch.until("reading the corpus")
        launch.process.send_signal(signal.SIGTERM)
        assert launch.status() != 0
    assert launch.sentences == ["polyhead: ended by SIGTERM"]
    assert "polyhead/" not in launch.said, "a traceback"


@pytest.mark.slow
def test_processes_whose_launcher_is_killed_stop_by_themselves(toy):
    arguments = recipe(toy, "model", training__max_updates=100_000)
    with launched(toy.directory, "train", arguments) as launch:
        launch.until("update 10 · dev_loss")
        workers = launch.workers()
        assert len(workers) == 2
        kill(launch.process.pid)
        try:
            end = time.monotonic() + SOON
            while any(Path(f"/proc/{worker}").exists() for worker in workers):
                assert time.monotonic() < end, "they go on"
                time.sleep(0.05)
        finally:
            for worker in workers:
                kill(worker)
    assert "; the same command with --resume goes on from there" in launch.said
    assert not (toy.directory / "model" / LOCK).exists()


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["the same", "another"])
def test_two_machines_need_the_same_corpus_and_no_shared_model_directory(toy, tmp_path_factory, corpus):
    """Two launchers on the loopback stand for two machines; each works in a directory of its own."""
    arguments = recipe(toy, "model", data__root="here")
    values = toy.values("model", training__max_updates=60, training__validate_every=10)
    machines = [tmp_path_factory.mktemp("machine") for _ in range(2)]
    for number, machine in enumerate(machines):
        for name in ("train", "dev"):
            for side in ("source", "target"):
                text = (toy.directory / f"{name}.{side}").read_text()
                (machine / f"{name}.{side}").write_text(text + "bado\n" * (number if corpus == "another" else 0))
    for some in (values["data"]["train"], values["data"]["dev"]):
        for reader in some:
            reader |= {side: Path(reader[side]).name for side in ("source", "target")}
    values["out"] = "model"
    Path(arguments).write_text(tomli_w.dumps(values))
    port = str(free_port())
    node = ("--nnodes", "2", "--nproc-per-node", "1", "--master-addr", "127.0.0.1", "--master-port", port)
    with (
        launched(machines[0], "train", arguments, launcher=(*node, "--node-rank", "0")) as first,
        launched(machines[1], "train", arguments, launcher=(*node, "--node-rank", "1")) as second,
    ):
        statuses = first.status(), second.status()
    if corpus == "the same":
        assert statuses == (0, 0), first.said + second.said
        assert first.said.count("the model is in model") == 1
        assert (machines[0] / "model" / "model.safetensors").exists()
        assert not (machines[1] / "model").exists()
    else:
        assert 0 not in statuses
        (sentence,) = [*first.sentences, *second.sentences]
        assert sentence.startswith("polyhead: process 1 reads other sentence pairs than process 0")


@pytest.mark.slow
@pytest.mark.parametrize("machine", [0, 1])
def test_a_process_that_is_killed_on_one_machine_is_restarted_with_those_of_the_other(toy, machine):
    """The launchers count differently: one sees a failure, the other perhaps only that the first one begins anew."""
    arguments = recipe(toy, "model", training__max_updates=300)
    endpoint = f"127.0.0.1:{free_port()}"
    node = ("--nnodes", "2", "--nproc-per-node", "1", "--max-restarts", "3")
    node += ("--rdzv-backend", "c10d", "--rdzv-id", "7", "--rdzv-endpoint", endpoint)
    with (
        launched(toy.directory, "train", arguments, launcher=node) as first,
        launched(toy.directory, "train", arguments, launcher=node) as second,
    ):
        _until_one_says((first, second), "update 20 · dev_loss")
        kill((first, second)[machine].workers()[0])
        statuses = [launch.process.wait(2 * SOON) for launch in (first, second)]
    assert statuses == [0, 0], first.said + second.said
    said = first.said + second.said
    assert said.count("resuming after update ") == 1, said
    assert said.count("the model is in") == 1
    calm = recipe(toy, "calm", training__max_updates=300)
    with launched(toy.directory, "train", calm) as launch:
        assert launch.status() == 0
    assert weights(toy.directory / "model") == weights(toy.directory / "calm")


def _until_one_says(launches: tuple[Launch, ...], words: str) -> None:
    end = time.monotonic() + SOON
    while not any(words in launch.said for launch in launches):
        assert time.monotonic() < end, f"nobody says {words!r}: {[launch.said for launch in launches]}"
        time.sleep(0.02)
