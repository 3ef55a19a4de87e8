"""Many files, or large ones, translated into a directory, for `polyhead translate DIRECTORY --out DIRECTORY`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from polyhead.cli.usage import UsageError
from polyhead.errors import PolyheadError, counted

if TYPE_CHECKING:
    from polyhead.bulk.batch_translator import BatchTranslator
    from polyhead.bulk.job import Listener

_MOST_SAID = 100
"""The most sentences that are printed about what should be looked at; the manifest counts them for each file."""


@dataclass(frozen=True)
class Sharing:
    """How the work is shared out."""

    workers: int | None
    """Processes; None: as many as there is room for."""
    shard_lines: int
    """Lines that a worker translates in one go."""
    column: str | None
    """The column of tables to translate."""
    into: str
    """The column of tables that the translations are written to."""
    ray: bool
    """Whether Ray Data shares out the work."""

    @property
    def asked_for(self) -> bool:
        """Whether a setting was given that is only of use for translating into a directory."""
        return self.workers is not None or self.column is not None or self.ray


def is_bulk(files: Sequence[Path], out: Path, sharing: Sharing) -> bool:
    """Whether what is to be translated goes into a directory, and not into a file."""
    from polyhead.reading import is_pattern

    several = len(files) > 1 or any(file.is_dir() or is_pattern(file) for file in files)
    return several or sharing.asked_for or out.is_dir()


def only_file(files: Sequence[Path], sharing: Sharing) -> Path | None:
    """The one file whose translation isn't written into a directory; None for standard input.

    Raises UsageError where there are several, or where a directory is needed for another reason.
    """
    if len(files) > 1 or sharing.asked_for or any(file.is_dir() for file in files):
        raise UsageError("name the directory that the translations are written to with --out")
    return files[0] if files else None


def translate_bulk(files: Sequence[Path], out: Path, translator: BatchTranslator, sharing: Sharing) -> None:
    """Translates the files into the directory, and says on standard error how it goes.

    Raises PolyheadError at the end where some file could not be translated.
    """
    from polyhead.bulk.batch_translator import forget
    from polyhead.bulk.capacity import workers_for
    from polyhead.bulk.fingerprint import fingerprint
    from polyhead.bulk.inputs import find_inputs
    from polyhead.bulk.job import Job, translate_files
    from polyhead.bulk.on_ray import on_ray
    from polyhead.bulk.record import heading_of
    from polyhead.bulk.workers import in_processes

    if not files:
        raise UsageError("--out translates files: name them before it, or the directories that they are in")
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out} is a file; name a directory for the translations")
    inputs = find_inputs(files, out)
    models = [Path(translator.model), *map(Path, translator.others)]
    translator = replace(
        translator, fingerprint=fingerprint(models), column=sharing.column or translator.column, into=sharing.into
    )
    print(", ".join(sorted({str(choice) for choice in translator.check().choices})), file=sys.stderr)
    forget()  # the workers load it for themselves
    if sharing.ray:
        run = on_ray(translator, sharing.workers)
    else:
        workers = sharing.workers or workers_for(models, translator.threads)
        print(f"polyhead: {counted(len(inputs), 'file')}, {counted(workers, 'worker')}", file=sys.stderr)
        run = in_processes(translator, workers)
    job = Job(inputs, out, heading_of(translator), sharing.shard_lines, sharing.column is not None)
    done = translate_files(job, run, _listener())
    print(f"polyhead: {out}: {counted(done.files, 'file')}, {counted(done.lines, 'line')} translated", file=sys.stderr)
    for reason in done.failures.values():
        print(f"polyhead: {reason}", file=sys.stderr)
    if done.failures:
        raise PolyheadError(f"{counted(len(done.failures), 'file')} of {len(inputs):,} could not be translated")


def _listener() -> Listener:
    """What prints progress and remarks on standard error."""
    from polyhead.bulk.job import Listener
    from polyhead.cli.streams import progress_in_lines

    said = count()

    def say(sentence: str) -> None:
        if next(said) < _MOST_SAID:
            print(f"polyhead: {sentence}", file=sys.stderr)

    return Listener(say, partial(progress_in_lines, "translating"))
