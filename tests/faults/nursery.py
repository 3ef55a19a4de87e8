"""Commands in processes of their own, begun in milliseconds by a process that is warm (see `warm`)."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0
"""Seconds after which a command hangs."""


@dataclass(frozen=True)
class Answer:
    """How a command ended."""

    status: int | None
    """The exit status; negative: minus the signal; None: it did not end and was killed after a long time."""
    out: str
    err: str
    """Without the path of the directory that it was done in, which may be long."""

    @property
    def sentence(self) -> str:
        """What it said was wrong; empty if it said nothing of the kind. Where help is to be had is left out."""
        said = self.err[self.err.rindex("polyhead: ") :] if "polyhead: " in self.err else ""
        return said.removesuffix("\nTry `polyhead --help` or `polyhead COMMAND --help`.\n").strip()


@dataclass(frozen=True)
class Command:
    """A command under way."""

    place: Path
    directory: Path
    """Where it is done."""

    @property
    def pid(self) -> int:
        """Its process."""
        while not (self.place / "pid").exists():
            time.sleep(0.0005)
        return int((self.place / "pid").read_text())

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return (self.place / "status").exists()

    def kill(self, number: int) -> None:
        """Sends a signal, if there is still somebody to get it."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def wait(self, patience: float = PATIENCE) -> Answer:
        """Waits for its end; kills what takes longer than `patience`, in seconds."""
        until, hung = time.monotonic() + patience, False
        while not self.ended:
            time.sleep(0.001)
            if not hung and time.monotonic() > until:
                hung = True
                self.kill(signal.SIGKILL)
        status = int((self.place / "status").read_text())
        out, err = (
            (self.place / name).read_text(encoding="utf-8", errors="replace") if (self.place / name).exists() else ""
            for name in ("stdout", "stderr")
        )
        return Answer(None if hung else status, out, err.replace(str(self.directory.resolve()), "."))


class Nursery:
    """A warm process and the commands that it began."""

    def __init__(self, directory: Path, environment: Mapping[str, str] | None = None) -> None:
        self.directory = directory
        self._numbers = itertools.count(1)
        paths = [str(ROOT / "src"), str(ROOT)]
        settings = {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.warm"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, **settings, **(environment or {})},
        )
        assert cast(Any, self._process.stdout).readline() == "ready\n", "the warm process failed"

    def begin(
        self,
        *arguments: object,
        directory: Path,
        stdin: str = "",
        stdout: str | None = None,
        fault: Mapping[str, object] | None = None,
        file_bytes: int | None = None,
        more_bytes: int | None = None,
    ) -> Command:
        """Starts `polyhead ARGUMENTS` in a directory.

        fault: what `killing.install` is given; file_bytes: no file can become longer; more_bytes: of memory that it may
        take beside what it begins with
        """
        place = self.directory / f"command-{next(self._numbers)}"
        place.mkdir()
        (place / "stdin").write_text(stdin, encoding="utf-8")
        order = {"arguments": [str(each) for each in arguments], "directory": str(directory), "place": str(place)}
        stream = cast(Any, self._process.stdin)
        limits = {"file_bytes": file_bytes, "more_bytes": more_bytes}
        stream.write(json.dumps({**order, "stdout": stdout, "fault": fault, **limits}) + "\n")
        stream.flush()
        return Command(place, directory)

    def run(self, *arguments: object, directory: Path, patience: float = PATIENCE, **more: Any) -> Answer:
        """Does `polyhead ARGUMENTS` in a directory."""
        return self.begin(*arguments, directory=directory, **more).wait(patience)

    def close(self) -> None:
        """Ends the warm process."""
        cast(Any, self._process.stdin).close()
        self._process.wait(30)
        cast(Any, self._process.stdout).close()
