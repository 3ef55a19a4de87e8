"""Work on the rows of a corpus, shared among processes, each of which does some rows at a time.

The processes are started as commands, with what they are to do on their standard input: so nothing of the program that
trains is copied or imported again. When that program ends, however it ends, their input ends, and then they end, too.
"""

import json
import os
import queue
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from polyhead.errors import PolyheadError

TELL_EVERY = 10.0
"""Seconds between two lines of progress."""
Say = Callable[[str], None]
Task = Mapping[str, Any]
"""What is to be done, as JSON can hold it; `task` names it."""


@dataclass(frozen=True)
class Share:
    """Shares the work on a corpus among several processes."""

    processes: int
    rows_at_a_time: int = 50_000
    say: Say = print
    what: str = "prepared"
    """What progress calls a row that is done."""

    def __call__(self, task: Task, rows: int, parts: Path) -> list[Any]:
        """Does a task for all rows from 0 on → the answers, in the order of the rows.

        parts: a directory in which each part of the work may write files under a name of its own
        Raises PolyheadError with what went wrong in a process.
        """
        work: queue.SimpleQueue[int] = queue.SimpleQueue()
        starts = range(0, rows, self.rows_at_a_time)
        for start in starts:
            work.put(start)
        answers: dict[int, Any] = {}
        told = _Progress(self, rows)

        def serve(_: int) -> None:
            with _Process() as process:
                process.tell(task)
                while not work.empty():
                    try:
                        start = work.get_nowait()
                    except queue.Empty:
                        return
                    end = min(rows, start + self.rows_at_a_time)
                    answers[start] = process.ask([start, end, str(parts / f"{start:012d}")])
                    told.add(end - start)

        count = max(1, min(self.processes, len(starts)))
        with ThreadPoolExecutor(count) as threads:
            running = [threads.submit(serve, number) for number in range(count)]
            try:
                for each in running:
                    each.result()
            except BaseException:
                with suppress(queue.Empty):  # the others end after what they are doing
                    while True:
                        work.get_nowait()
                raise
        return [answers[start] for start in starts]


class _Progress:
    """Says now and then how far the work is."""

    def __init__(self, share: Share, rows: int) -> None:
        self._share, self._rows, self._done = share, rows, 0
        self._began = self._told = time.monotonic()

    def add(self, rows: int) -> None:
        self._done += rows
        now = time.monotonic()
        if now - self._told > TELL_EVERY:
            self._told = now
            left = (now - self._began) / self._done * (self._rows - self._done)
            self._share.say(
                f"{self._share.what}: {self._done:,} of {self._rows:,} pairs · about {left / 60:,.0f} min left"
            )


class _Process:
    """A process that waits for rows to work on."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "polyhead.data.stored.worker"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, encoding="utf-8"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(BrokenPipeError), self._process:  # closing its input tries to write what could not be written
            self._process.kill()  # what it writes counts for nothing before its answer

    def ask(self, rows: list[Any]) -> Any:
        """The answer for some rows. Raises PolyheadError where the process fails or ends."""
        self.tell(rows)
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise self._ended()
        answer = json.loads(line)
        if "refused" in answer:
            raise PolyheadError(answer["refused"])
        return answer["done"]

    def tell(self, value: object) -> None:
        """Writes a value to the process's input as a line of JSON. Raises PolyheadError where the process has ended."""
        try:
            assert self._process.stdin is not None
            print(json.dumps(value), file=self._process.stdin, flush=True)
        except OSError as error:
            raise self._ended() from error

    def _ended(self) -> PolyheadError:
        code = self._process.wait()
        how = f"by signal {-code}" if code < 0 else f"with exit status {code}"
        return PolyheadError(
            f"a process that prepared the corpus ended {how}; is there too little memory? Run the command again: what "
            "it had not finished is made anew"
        )
