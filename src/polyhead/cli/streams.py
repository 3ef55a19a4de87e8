"""Lines in from files or standard input; results out to standard output, everything else to standard error."""

import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from polyhead.corpora.text_lines import read_text_lines, read_text_lines_of
from polyhead.refusals import write_errors

_EVERY = 30.0
"""Seconds between two lines of progress."""


def read_lines(path: Path | None) -> list[str]:
    """The lines of a file or of standard input; an empty one has none. DataError names a line that isn't UTF-8."""
    if path is not None and str(path) != "-":
        return list(read_text_lines(path)) if not _is_empty(path) else []
    return list(read_text_lines_of(sys.stdin.buffer.read(), "stdin"))


def _is_empty(path: Path) -> bool:
    """Whether a path is a file of no bytes; compressed files and pipes never are."""
    return path.is_file() and path.stat().st_size == 0


def write_lines(lines: Iterable[str]) -> None:
    """Prints lines on standard output, as UTF-8 whatever the locale. A line break inside a line becomes a space."""
    with write_errors("standard output"):
        for line in lines:
            sys.stdout.buffer.write(line.replace("\n", " ").encode("utf-8") + b"\n")
        sys.stdout.buffer.flush()


@contextmanager
def progress_bar(label: str, total: int) -> Generator[Callable[[int], None]]:
    """Yields a function to call with the number of items just done; a bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty() or total < 2:
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=total)
        yield lambda done: progress.advance(task, done)


@contextmanager
def progress_in_lines(label: str, total: int) -> Generator[Callable[[int], None]]:
    """`progress_bar` for work that takes hours: without a terminal, a line now and then says how far the work is."""
    if sys.stderr.isatty():
        with progress_bar(label, total) as draw:
            yield draw
        return
    begun = said = time.monotonic()
    done = 0

    def advance(more: int) -> None:
        nonlocal done, said
        done += more
        now = time.monotonic()
        if now - said >= _EVERY and 0 < done < total:
            said = now
            left = (now - begun) / done * (total - done)
            print(f"polyhead: {label}: {done:,} of {total:,} lines, about {_in_words(left)} left", file=sys.stderr)

    yield advance


def _in_words(seconds: float) -> str:
    """A time as people say it, such as `3 min` or `1 h 20 min`."""
    minutes = max(1, round(seconds / 60))
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
