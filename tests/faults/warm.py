"""A process that has imported and compiled all that commands need, and does each command in a copy of itself.

So a command begins in milliseconds, not in seconds, and may be killed like any other process. Orders come as lines of
JSON on standard input: `{"arguments", "directory", "place", "stdout", "fault", "file_bytes", "more_bytes"}`. In the
folder `place` a command finds its `stdin` and leaves `pid`, `stdout` (if no other is named), `stderr` and, once it has
ended, `status` (negative: the signal).
"""

import io
import json
import os
import resource
import signal
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

import tomli_w

from polyhead.cli import main
from tests.conftest import Toy
from tests.faults.killing import install

Order = dict[str, Any]


def serve() -> None:
    """Carries out one order after the other until standard input ends."""
    with tempfile.TemporaryDirectory() as directory:
        warm_up(Path(directory))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no watcher's end is waited for
    print("ready", flush=True)
    for line in sys.stdin:
        if os.fork() == 0:
            watch(json.loads(line))
    os._exit(0)  # there is nothing to tidy up, and PyTorch takes a second for that


def warm_up(directory: Path) -> None:
    """Does every command once, which imports what it needs and compiles its kernels."""
    toy = Toy(directory)
    subwords = {"kind": "bpe", "vocabulary_size": 300, "dropout": 0.1}
    recipe, model = directory / "recipe.toml", directory / "model"
    keys = [f"--out={directory}/other", "--training.precision=auto", "--model.d_model=64", "--model.d_ff=64"]
    recipe.write_text(tomli_w.dumps(toy.values(training__max_updates=2, tokenizer=subwords)), encoding="utf-8")
    commands = [
        ["train", str(recipe)],
        ["train", str(recipe), *keys],
        ["info", str(model)],
        ["shortlist", str(model), "--best", "2"],
        ["translate", str(model), "--shortlist"],
    ]
    silent = os.open(os.devnull, os.O_WRONLY)
    outputs = [os.dup(number) for number in (1, 2)]
    for number in (1, 2):
        os.dup2(silent, number)
    standard_input = sys.stdin
    for command in commands:
        sys.stdin = io.TextIOWrapper(io.BytesIO(b"bado kilu\n"))
        status = main(command)
        assert status == 0, command
    sys.stdin = standard_input
    sys.stdout.flush()
    for kept, number in zip(outputs, (1, 2), strict=True):
        os.dup2(kept, number)
        os.close(kept)
    os.close(silent)


def watch(order: Order) -> None:
    """Starts the command, waits for its end and writes down how it ended. Never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    place = Path(order["place"])
    command = os.fork()
    if command == 0:
        obey(order, place)
    keep(place / "pid", command)
    keep(place / "status", os.waitstatus_to_exitcode(os.waitpid(command, 0)[1]))
    os._exit(0)


def keep(path: Path, number: int) -> None:
    """Writes a number so that whoever looks finds all of it or nothing."""
    beside = path.with_suffix(".part")
    beside.write_text(str(number), encoding="utf-8")
    beside.replace(path)


def obey(order: Order, place: Path) -> None:
    """Does the command as `python -m polyhead` does, and ends with its exit status. Never returns."""
    status = 1
    try:
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT
            path = order["stdout"] if number == 1 and order["stdout"] is not None else place / name
            os.dup2(os.open(path, flags), number)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  standard input for good
        os.chdir(order["directory"])
        limit(order["file_bytes"], order["more_bytes"])
        if order["fault"] is not None:
            install(**order["fault"])
        status = main(order["arguments"])
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def limit(file_bytes: int | None, more_bytes: int | None) -> None:
    """From now on no file may become longer, and this process may take so much more memory."""
    if file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, resource.RLIM_INFINITY))
    if more_bytes is not None:
        now = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + more_bytes, resource.RLIM_INFINITY))


if __name__ == "__main__":
    serve()
