"""Lines in from files or standard input; results out to standard output, everything else to standard error."""

import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from polyhead.corpora.text_lines import read_text_lines, read_text_lines_of
from polyhead.refusals import write_errors


def read_lines(path: Path | None) -> list[str]:
    """The lines of a file, or of standard input; none of an empty one. DataError names a line not in UTF-8."""
    if path is not None and str(path) != "-":
        return list(read_text_lines(path)) if not _is_empty(path) else []
    return list(read_text_lines_of(sys.stdin.buffer.read(), "stdin"))


def _is_empty(path: Path) -> bool:
    """Whether it is a file of no bytes; compressed files and pipes never are."""
    return path.is_file() and path.stat().st_size == 0


def write_lines(lines: Iterable[str]) -> None:
    """One line each to standard output, as UTF-8 whatever the locale; a line break inside a line becomes a space."""
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
