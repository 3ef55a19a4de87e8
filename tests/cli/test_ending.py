"""Whatever ends a command: one line, an exit status, nothing half written."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tomli_w
import torch

from polyhead.cli.ending import ending_of
from polyhead.cli.signals import Ended
from polyhead.run_lock import LOCK
from polyhead.training.world import Deserted

COMMAND = [sys.executable, "-m", "polyhead"]
NUMBERS = {"SIGTERM": 143, "SIGHUP": 129}

RUN = """
import sys, time
import polyhead.{module}
from polyhead.cli import main

def waiting(*_, **__):
    from polyhead.files import atomic_file
    from pathlib import Path
    with atomic_file(Path(sys.argv[1])) as temporary:
        temporary.write_text("half")
        print("waiting", flush=True)
        while True:
            time.sleep(0.1)

polyhead.{module}.{function} = waiting
sys.exit(main(sys.argv[2:]))
"""
"""A command that stands still in one of its functions, where it is writing a file."""

STAGES = {
    "reading the corpus": ("recipe.train", "read_pairs"),
    "training the tokenizer": ("recipe.assemble", "make_tokenizers"),
    "averaging": ("recipe.finish", "final_weights"),
    "scoring": ("recipe.finish", "score_pairs"),
}


def stopped_at(stage: str, number: int, directory: Path, *arguments: str) -> tuple[int, str]:
    """Sends a signal to a command that has come so far → exit status, standard error."""
    module, function = STAGES[stage]
    script = RUN.format(module=module, function=function)
    with subprocess.Popen(
        [sys.executable, "-c", script, str(directory / "half"), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(number)
        return process.wait(20), process.communicate()[1]


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", NUMBERS)
def test_a_signal_beside_the_training_loop_ends_at_once_and_cleanly(toy, tmp_path, stage, name):
    file = toy.directory / "recipe.toml"
    file.write_text(tomli_w.dumps(toy.values(training__max_updates=4)))
    status, errors = stopped_at(stage, getattr(signal, name), tmp_path, "train", str(file))
    assert status == NUMBERS[name]
    assert errors.splitlines()[-1] == f"polyhead: ended by {name}"
    assert "Traceback" not in errors
    assert not list(tmp_path.rglob("*.unfinished"))
    assert not list(tmp_path.rglob("half"))
    assert not (toy.directory / "model" / LOCK).exists()
    resume = ["--resume"] if (toy.directory / "model").exists() else []
    subprocess.run([*COMMAND, "train", str(file), *resume], check=True, capture_output=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", NUMBERS)
def test_a_translation_ends_cleanly(toy_model, name):
    with subprocess.Popen(
        [*COMMAND, "translate", str(toy_model)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        reading_standard_input = ("0 0x0 ", "63 0x0 ")  # the system call's number on x86 and ARM, and what it is about
        while not Path(f"/proc/{process.pid}/syscall").read_text().startswith(reading_standard_input):
            time.sleep(0.01)
        process.send_signal(getattr(signal, name))
        _, errors = process.communicate()
    assert process.returncode == NUMBERS[name]
    assert errors.decode() == f"polyhead: ended by {name}\n"


@pytest.mark.slow
def test_what_is_ignored_stays_ignored(toy):
    """As under nohup."""
    file = toy.directory / "recipe.toml"
    file.write_text(tomli_w.dumps(toy.values(training__max_updates=60)))
    with subprocess.Popen(
        [*COMMAND, "train", str(file)],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    ) as process:
        while process.poll() is None:
            process.send_signal(signal.SIGHUP)
            time.sleep(0.05)
        errors = process.communicate()[1]
    assert process.returncode == 0, errors


def test_two_signals_at_once_are_one_request():
    """The second comes while the first one's cleaning up is under way."""
    script = """
import os, signal, sys, time
from polyhead.cli.signals import Ended, raised_as_exceptions
try:
    with raised_as_exceptions():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(10)
        finally:
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(0.1)
            print("cleaned up")
except Ended as error:
    sys.exit(error.status)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (143, "cleaned up\n", "")


def command_that(definitions: str) -> subprocess.CompletedProcess[str]:
    """What comes of `polyhead info` where `info` is defined as here."""
    script = f"""
import os, signal, sys, time
import polyhead.cli.info
from polyhead.cli import main
{definitions}
polyhead.cli.info.info = info
sys.exit(main(["info", "model"]))
"""
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_within_a_finalizer_ends_the_command_all_the_same(name, status):
    """Python drops what a finalizer raises."""
    done = command_that(f"""
class Kept:
    def __del__(self):
        os.kill(os.getpid(), signal.{name})
        time.sleep(0.01)

def info(*_, **__):
    kept = Kept()
    del kept
    time.sleep(20)
    print("nothing has ended it")
""")
    assert done.returncode == status
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_error_that_takes_an_interruptions_place_is_told_as_the_interruption(name, status):
    """Code in C that asks Python for a length while a signal comes drops what the signal raised."""
    done = command_that(f"""
class Storage:
    def __len__(self):
        os.kill(os.getpid(), signal.{name})
        return 1

def info(*_, **__):
    try:
        len(Storage())
    except BaseException:
        pass
    raise ValueError("could not determine the shape of the storage")
""")
    assert done.returncode == status
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
@pytest.mark.parametrize(
    "arguments", [["translate", "MODEL"], ["info", "MODEL"], ["--help"]], ids=["lines", "text", "help"]
)
def test_a_full_disk_under_the_output_is_said(toy_model, arguments):
    command = [str(toy_model) if word == "MODEL" else word for word in arguments]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [*COMMAND, *command],
            input=b"bado\n" * 3,
            stdout=full,
            env=buffered,
            stderr=subprocess.PIPE,
            check=False,
        )
    last = done.stderr.decode().splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith("polyhead: standard output cannot be written: No space left on device")
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"),
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
    ],
    ids=["Python", "PyTorch", "GPU"],
)
@pytest.mark.parametrize(
    ("command", "advice"),
    [("translate", "--batch-tokens"), ("train", "--data.batching.max_tokens"), ("info", "smaller")],
)
def test_too_little_memory_is_one_sentence_that_says_what_to_do(error, command, advice):
    status, sentence = ending_of(error, [command])
    assert status == 1
    assert sentence.startswith("the memory is not enough: ")
    assert advice in sentence
    assert len(sentence) < 300


def test_a_fault_of_the_program_is_no_lack_of_memory():
    assert ending_of(RuntimeError("mat1 and mat2 shapes cannot be multiplied"), ["train"]) is None
    assert ending_of(ZeroDivisionError(), ["train"]) is None


def test_too_little_memory_in_a_command(polyhead, toy_model, monkeypatch):
    def too_large(*_, **__):
        raise MemoryError

    monkeypatch.setattr("polyhead.translating.translator.Translator.translate", too_large)
    answer = polyhead("translate", toy_model, stdin="bado\n")
    assert answer.status == 1
    assert answer.err.endswith("--batch-tokens or --beam, or take a smaller model, or run it where there is more\n")


def test_a_signal_that_comes_as_another_process_is_lost_does_not_hide_that():
    """A launcher sends one to all processes then."""

    @contextlib.contextmanager
    def asked_to_end():
        try:
            yield
        finally:
            raise Ended(signal.SIGTERM)

    with pytest.raises(Ended) as ended, asked_to_end():
        raise Deserted("another process of this run has ended")
    assert ending_of(ended.value, ["train"]) == (143, "another process of this run has ended")
    assert ending_of(Ended(signal.SIGTERM), ["train"]) == (143, "ended by SIGTERM")
