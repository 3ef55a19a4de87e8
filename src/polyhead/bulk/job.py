"""From files to translated files: planned, shared out, joined, and kept in the manifest."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from pathlib import Path

from polyhead.bulk.inputs import Input
from polyhead.bulk.kinds import KINDS
from polyhead.bulk.plan import SHARDS, FileWork, plan_file, sweep, update, work_on
from polyhead.bulk.record import Done, Failed, Heading, Record
from polyhead.bulk.shard import Outcome, Shard
from polyhead.bulk.workers import Run
from polyhead.errors import PolyheadError
from polyhead.files import atomic_file, remove_leftovers
from polyhead.refusals import write_errors
from polyhead.run_lock import exclusive


@dataclass(frozen=True)
class Job:
    """What is to be translated, where to, and how it is cut."""

    inputs: Sequence[Input]
    out: Path
    heading: Heading
    shard_lines: int
    """The most lines or rows that a worker does in one go."""
    has_column: bool
    """Whether a column of tables was named."""


@dataclass(frozen=True)
class Listener:
    """Functions that are told how a job goes on."""

    say: Callable[[str], None]
    """Is given sentences that a user should read."""
    progress: Callable[[int], AbstractContextManager[Callable[[int], None]]]
    """Is told how many lines there are to do, 1 for a document; its context gives what is told of those just done."""


@dataclass
class Summary:
    """What became of a job."""

    files: int = 0
    """Files that are translated, the ones of earlier runs among them."""
    lines: int = 0
    """The lines of the files that are translated."""
    failures: dict[str, str] = field(default_factory=dict[str, str])
    """The names of files that could not be translated → why not."""


def translate_files(job: Job, run: Run, listener: Listener) -> Summary:
    """Translates what isn't translated yet, file by file.

    A file that can't be translated hinders no other one. Raises PolyheadError where the output directory is another
    job's or in use, and where no file could be translated any more, such as with a model that was replaced meanwhile.
    """
    with exclusive(job.out) as held:
        record = Record.open(job.out, job.heading)
        failures = update(
            record,
            job.inputs,
            lambda each: plan_file(each, job.shard_lines, has_column=job.has_column),
            listener.say,
        )
        names = [each.name for each in job.inputs if each.name not in failures and each.name not in record.done]
        works = {name: work_on(job.out, job.heading, record.planned[name]) for name in names}
        held.check()
        record.rewrite()
        sweep(job.out, list(works.values()))
        with listener.progress(sum(work.planned.lines for work in works.values())) as advance:
            progress = _Progress(record, works, listener.say, advance, failures)
            for work in works.values():
                progress.look(work)
            with closing(run(progress.pending())) as outcomes:
                for outcome in outcomes:
                    held.check()
                    progress.hear(outcome)
        sweep(job.out, [work for name, work in works.items() if name not in record.done])
        _remove_if_empty(job.out / SHARDS)
        return _summary(job, record, failures)


class _Progress:
    """Which shards are missing, and what is done when the last one of a file is there."""

    def __init__(
        self,
        record: Record,
        works: Mapping[str, FileWork],
        say: Callable[[str], None],
        advance: Callable[[int], None],
        failures: dict[str, str],
    ) -> None:
        self._record, self._works, self._failures = record, works, failures
        self._say, self._advance = say, advance
        self._missing: dict[str, int] = {}
        self._there: dict[str, set[int]] = {}

    def look(self, work: FileWork) -> None:
        """Finds out which shards of a file are there already, and finishes it where all are."""
        with write_errors(work.folder):
            work.folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(work.folder)
        names = {path.name for path in work.folder.iterdir()}
        name = work.planned.file
        self._there[name] = {shard.number for shard in work.shards if shard.out.name in names}
        self._missing[name] = len(work.planned.cuts) - len(self._there[name])
        self._advance(sum(shard.lines for shard in work.shards if shard.number in self._there[name]))
        if not self._missing[name]:
            self._finish(work)

    def pending(self) -> Iterator[Shard]:
        """The shards that are missing, of files that have not failed."""
        for name, work in self._works.items():
            for shard in work.shards if self._missing[name] else ():
                if name in self._failures:
                    break
                if shard.number not in self._there[name]:
                    yield shard

    def hear(self, outcome: Outcome) -> None:
        """Takes note of what became of a shard. Raises PolyheadError where every other shard would fail, too."""
        shard = outcome.shard
        if outcome.failure is not None:
            if outcome.fatal:
                raise PolyheadError(outcome.failure)
            self._fail(shard.file, outcome.failure)
            return
        for problem in outcome.problems:
            self._say(problem)
        self._missing[shard.file] -= 1
        self._advance(shard.lines)
        if not self._missing[shard.file] and shard.file not in self._failures:
            self._finish(self._works[shard.file])

    def _finish(self, work: FileWork) -> None:
        """Joins the shards of a file into its translation, says so in the manifest, and deletes them."""
        name = work.planned.file
        if work.changed:
            self._fail(name, f"{work.planned.source}: it was changed while it was translated; run the command again")
            return
        with write_errors(work.out.parent):
            work.out.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(work.out) as temporary:
            KINDS[work.planned.kind].join([shard.out for shard in work.shards], temporary)
        counts = [shard.problem_count for shard in work.shards]
        problems = sum(int(count.read_text(encoding="utf-8")) for count in counts if count.exists())
        self._record.add(Done(file=name, bytes=work.out.stat().st_size, problems=problems))
        shutil.rmtree(work.folder, ignore_errors=True)

    def _fail(self, name: str, reason: str) -> None:
        if name not in self._failures:
            self._failures[name] = reason
            self._record.add(Failed(file=name, reason=reason))


def _summary(job: Job, record: Record, failures: Mapping[str, str]) -> Summary:
    done = [record.planned[each.name] for each in job.inputs if each.name in record.done]
    return Summary(len(done), sum(each.lines for each in done), dict(failures))


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return
