"""What is to be done: which files are new or changed, where they are cut, which of their shards are there already."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from polyhead.bulk.inputs import Input
from polyhead.bulk.kinds import KINDS, kind_of
from polyhead.bulk.record import NAME, Heading, Planned, Record
from polyhead.bulk.shard import Shard
from polyhead.errors import DataError, PolyheadError

SHARDS = ".shards"
"""The folder in the output directory in which the shards of unfinished files lie."""


@dataclass(frozen=True)
class FileWork:
    """A file that is not finished."""

    planned: Planned
    out: Path
    """Where the file's translation goes."""
    folder: Path
    """Where the file's shards lie until it is finished; each content, model and settings have a folder of their own."""

    @property
    def shards(self) -> Iterator[Shard]:
        """All shards of the file, in order."""
        plan = self.planned
        cuts = [*plan.cuts, (plan.end, plan.lines)]
        for number, ((start, before), (end, after)) in enumerate(pairwise(cuts)):
            out = self.folder / f"{number:08d}"
            yield Shard(plan.file, plan.kind, plan.source, out, number, start, end, before, after - before)

    @property
    def changed(self) -> bool:
        """Whether the file is another one now than when it was cut."""
        try:
            now = self.planned.source.stat()
        except OSError:
            return True
        return (now.st_size, now.st_mtime_ns) != (self.planned.bytes, self.planned.modified)


def work_on(directory: Path, heading: Heading, planned: Planned) -> FileWork:
    """The work that is to be done on a file."""
    told = [heading.model_dump_json(), planned.file, planned.sha256, str(planned.shard_lines)]
    key = hashlib.sha256("\0".join(told).encode()).hexdigest()[:16]
    return FileWork(planned, directory / planned.file, directory / SHARDS / key)


def plan_file(given: Input, shard_lines: int, *, has_column: bool) -> Planned:
    """Reads a file to find out where to cut it. Raises DataError where it can't be translated or read."""
    if given.name == NAME:
        raise DataError(f"its translation would be called {NAME}, as the manifest is; rename it", given.path)
    try:
        f"{given.path.absolute()}{given.name}".encode()
    except UnicodeEncodeError:
        raise DataError("its name is not UTF-8, which the manifest is; rename it", given.path) from None
    try:
        before = given.path.stat()
        kind = kind_of(given.path, has_column=has_column)
        cutting = KINDS[kind].cut(given.path, shard_lines)
    except OSError as error:
        raise DataError(f"it cannot be read: {error.strerror or error}", given.path) from error
    return Planned.model_validate(
        {
            "file": given.name,
            "source": given.path.absolute(),
            "kind": kind,
            "modified": before.st_mtime_ns,
            "bytes": before.st_size,
            "sha256": cutting.sha256,
            "lines": cutting.lines,
            "shard_lines": shard_lines,
            "end": cutting.end,
            "cuts": cutting.cuts,
        }
    )


def update(
    record: Record, inputs: Sequence[Input], plan: Callable[[Input], Planned], say: Callable[[str], None]
) -> dict[str, str]:
    """Brings a record up to date with the files as they are → which can't be translated, and why.

    plan: reads a new or changed file; say: is told in a sentence what is done again
    Raises PolyheadError, before anything is written, where a file is in the way that is no translation of this job.
    """
    directory = record.path.parent
    for each in inputs:
        place = directory / each.name
        known = each.name in record.planned or place == record.path
        if not known and (place.exists() or place.is_symlink()):
            raise PolyheadError(f"{place} is in the way: it was not written by this job; name another --out")
    wanted = {each.name for each in inputs}
    for name in record.planned.keys() - wanted - record.done.keys():
        if not os.path.lexists(directory / name):  # an older translation that is still there stays this job's
            del record.planned[name]  # it was given once, never finished, and is asked for no more
    failures: dict[str, str] = {}
    for each in inputs:
        try:
            _settle(record, each, plan, say)
        except DataError as error:
            failures[each.name] = str(error)
    return failures


def _settle(record: Record, given: Input, plan: Callable[[Input], Planned], say: Callable[[str], None]) -> None:
    """Brings what a record says of one file up to date. Raises DataError where it can't be translated."""
    known, place = record.planned.get(given.name), record.path.parent / given.name
    if known is None or _is_other(known, given):
        record.planned[given.name] = found = plan(given)
        if known is None or found.sha256 != known.sha256:
            record.done.pop(given.name, None)
        if known is not None and found.sha256 != known.sha256:
            say(f"{given.path} has changed: it is translated again")
    if given.name in record.done and not place.is_file():
        say(f"{place} is missing: it is made again")
        del record.done[given.name]


def sweep(directory: Path, works: Sequence[FileWork]) -> None:
    """Deletes the shards of all files but those of `works`, which are still asked for."""
    keys = {work.folder.name for work in works}
    for folder in (directory / SHARDS).glob("*"):
        if folder.name not in keys:
            shutil.rmtree(folder, ignore_errors=True)


def _is_other(known: Planned, given: Input) -> bool:
    """Whether a file isn't as it was when it was planned, as far as its size and time tell."""
    now = given.path.stat()
    return (now.st_size, now.st_mtime_ns, given.path.absolute()) != (known.bytes, known.modified, known.source)
