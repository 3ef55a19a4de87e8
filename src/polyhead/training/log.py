"""What a person and a program see of training: a progress display, and `metrics.jsonl`, one object a line."""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from polyhead.files import write_text
from polyhead.refusals import write_errors

Numbers = Mapping[str, float | int]


class Display(Protocol):
    """Shows training to a person."""

    def update(self, numbers: Numbers, remaining: float | None) -> None:
        """Shows a line of training metrics and the seconds left, which are None where they cannot be told."""
        ...

    def message(self, text: str) -> None:
        """Shows a text that is worth keeping on the screen."""
        ...

    def close(self) -> None:
        """Leaves the terminal as it was."""
        ...


def say(text: str) -> None:
    """Prints a text to standard error if that is possible.

    A full disk under a log, or a terminal that was closed, ends no training.
    """
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


class PlainDisplay:
    """One plain line at most every `interval` seconds, for logs and pipes."""

    def __init__(self, interval: float = 10.0, say: Callable[[str], None] = say) -> None:
        """say: what takes the lines"""
        self.interval = interval
        self._say = say
        self._last = 0.0

    def update(self, numbers: Numbers, remaining: float | None) -> None:
        now = time.monotonic()
        if now - self._last >= self.interval:
            self._last = now
            self.message(describe(numbers, remaining))

    def message(self, text: str) -> None:
        self._say(text)

    def close(self) -> None:
        pass


class SilentDisplay:
    """A display that shows nothing, for a process whose progress another process shows."""

    def update(self, numbers: Numbers, remaining: float | None) -> None:
        pass

    def message(self, text: str) -> None:
        pass

    def close(self) -> None:
        pass


class LiveDisplay:
    """A progress bar (rich) that stays in place; messages scroll above it.

    What a terminal that was closed refuses to show ends no training.
    """

    def __init__(self, max_updates: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._progress = Progress(
            BarColumn(bar_width=30),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task("starting", total=max_updates)
        self._progress.start()

    def update(self, numbers: Numbers, remaining: float | None) -> None:
        described = describe(numbers, remaining)
        with suppress(OSError):
            self._progress.update(self._task, completed=float(numbers["update"]), description=described)

    def message(self, text: str) -> None:
        with suppress(OSError):
            self._progress.console.print(text, highlight=False, markup=False)

    def close(self) -> None:
        with suppress(OSError):
            self._progress.stop()


def make_display(max_updates: int, say: Callable[[str], None] = say) -> Display:
    """A live display on a terminal; elsewhere one that gives plain lines to `say`."""
    return LiveDisplay(max_updates) if sys.stderr.isatty() else PlainDisplay(say=say)


def describe(numbers: Numbers, remaining: float | None) -> str:
    """One line for a person: where training stands, how fast, how long still."""
    parts = [
        f"update {numbers['update']}",
        f"epoch {int(numbers['epoch']) + 1}",
        f"loss {numbers['loss']:.3f}",
        f"{numbers['target_tokens_per_second']:,.0f} tokens/s",
    ]
    if remaining is not None:
        parts.append(f"{duration(remaining)} left")
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """A number of seconds in words: 3725 → `1 h 02 min`; 125 → `2 min 05 s`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


class MetricsFile:
    """Appends JSON lines; on resume, lines written after the checkpoint are dropped, so that none stands twice."""

    def __init__(self, path: Path, resume_from: int | None = None, judged: bool = True) -> None:
        """resume_from: the update of the checkpoint; judged: whether its validation, if it has one, is over."""
        kept = [] if resume_from is None else _lines_until(path, resume_from, judged)
        write_text(path, "".join(kept))
        self._path = path
        with write_errors(path):
            self._file = path.open("ab", buffering=0)

    def write(self, numbers: Numbers) -> None:
        """Writes one object on one line, at once. Raises WriteError if that fails; no part of the line stays then."""
        rest = (json.dumps(dict(numbers)) + "\n").encode()
        with write_errors(self._path):
            before = os.fstat(self._file.fileno()).st_size
            try:
                while rest:  # a disk that becomes full takes a part and refuses the rest
                    rest = rest[self._file.write(rest) :]
            except OSError:
                self._file.truncate(before)
                raise

    def close(self) -> None:
        """Flushes the lines to disk and closes the file. Raises WriteError where that is refused."""
        with write_errors(self._path), self._file:
            os.fsync(self._file.fileno())


def _lines_until(path: Path, update: int, judged: bool) -> list[str]:
    """The lines of an earlier sitting up to an update; one that is damaged, or cut short by a kill, is dropped."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    kept: list[str] = []
    for line in lines:
        try:
            text = line.decode()
            numbers = json.loads(text)
            done = numbers["update"] < update or (numbers["update"] == update and (judged or "dev_loss" not in numbers))
        except (ValueError, KeyError, TypeError):
            continue
        if done:
            kept.append(text + "\n")
    return kept
