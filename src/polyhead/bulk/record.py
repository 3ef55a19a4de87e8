"""`manifest.jsonl` in the output directory: what is to be translated, by what, and what is done.

Its first line names the model and the settings. Then each file has a line with its digest, its line count and where it
is cut, and one more when it is done or has failed; the last line about a file counts. Lines are only added while a run
goes on, and a line that a crash left unfinished is as good as none, since what it says is found out again.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from polyhead.bulk.batch_translator import BatchTranslator
from polyhead.config import Config
from polyhead.errors import PolyheadError, shown
from polyhead.files import atomic_file
from polyhead.limits import LARGEST_BYTES
from polyhead.refusals import write_errors

NAME = "manifest.jsonl"
FORMAT = 1

Count = Annotated[int, Field(ge=0, le=LARGEST_BYTES)]


class Heading(Config):
    """What all files of an output directory have in common."""

    what: Literal["job"] = "job"
    format: int = Field(default=FORMAT, ge=FORMAT, le=FORMAT)
    """The version of this file's format."""
    model: str
    """The digest of the model's `SHA256SUMS`, or of several models'."""
    settings: dict[str, JsonValue]
    """How the files are translated: all that the translations depend on besides the model."""


class Planned(Config):
    """A file that is to be translated."""

    what: Literal["planned"] = "planned"
    file: str
    """The name of the file's translation, below the output directory."""
    source: Path
    """The path of the file."""
    kind: Literal["lines", "document", "table"]
    """How the file is cut and translated, one of `polyhead.bulk.kinds.KINDS`."""
    modified: int = Field(ge=-(2**100), le=2**100)
    """When the file was last changed, in nanoseconds since 1970."""
    bytes: Count
    """The size of the file."""
    sha256: str
    """The SHA-256 digest of the file's content."""
    lines: Count
    """How many lines the file has, or rows; 1 for a document."""
    shard_lines: Count
    """The most lines of a shard."""
    end: Count
    """Where the last shard ends, in bytes or rows."""
    cuts: tuple[tuple[Count, Count], ...]
    """For each shard, the byte or row where it begins, and the number of lines or rows before it."""


class Done(Config):
    """A file that is translated."""

    what: Literal["done"] = "done"
    file: str
    bytes: Count
    """The size of the translation."""
    problems: Count
    """How many problems were reported that people should look at."""


class Failed(Config):
    """A file that could not be translated; the next run tries it again."""

    what: Literal["failed"] = "failed"
    file: str
    reason: Annotated[str, Field(max_length=10_000)]


Line = Annotated[Heading | Planned | Done | Failed, Field(discriminator="what")]
_LINES: TypeAdapter[Heading | Planned | Done | Failed] = TypeAdapter(Line)


_TELLING = (
    "target_language", "beam_size", "split", "engine", "dtype", "shortlist", "protect", "keep", "column", "into",
)  # fmt: skip
"""The settings that translations depend on besides the model and the search."""


def heading_of(translator: BatchTranslator) -> Heading:
    """The heading of the manifest for whatever this translator translates.

    Raises PolyheadError for a setting that can't be written there.
    """
    search = translator.search
    told = None if search is None else {"kind": type(search).__name__, **search.model_dump(mode="json")}
    settings = {name: getattr(translator, name) for name in _TELLING}
    for name, value in settings.items():
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise PolyheadError(f"{name} is {shown(value)}, which is not UTF-8, as the manifest is") from None
    given = {"model": str(translator.fingerprint), "settings": {**settings, "search": told}}
    return Heading.model_validate_json(json.dumps(given))


@dataclass
class Record:
    """What the manifest of a directory says; it is added to while files are finished."""

    path: Path
    heading: Heading
    planned: dict[str, Planned] = field(default_factory=dict[str, Planned])
    done: dict[str, Done] = field(default_factory=dict[str, Done])

    @classmethod
    def open(cls, directory: Path, heading: Heading) -> Self:
        """The record of a job in its output directory; a new one where there is no manifest.

        Raises PolyheadError where the directory's translations are another model's, or made with other settings, and
        where its manifest is damaged.
        """
        path = directory / NAME
        found = cls(path, heading)
        for line in _read(path):
            match line:
                case Heading():
                    _check_same(line, heading, directory)
                case Planned():
                    found.planned[line.file] = line
                    found.done.pop(line.file, None)
                case Done():
                    found.done[line.file] = line
                case Failed():
                    found.done.pop(line.file, None)
        return found

    def rewrite(self) -> None:
        """Writes the manifest anew, without lines that later ones have replaced."""
        with atomic_file(self.path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
            for line in (self.heading, *self.planned.values(), *self.done.values()):
                file.write(_written(line))

    def add(self, line: Done | Failed) -> None:
        """Adds a line that says what became of a file; it is on disk when this returns."""
        if isinstance(line, Done):
            self.done[line.file] = line
        with write_errors(self.path), self.path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(_written(line))
            file.flush()
            os.fsync(file.fileno())


def _read(path: Path) -> Iterator[Heading | Planned | Done | Failed]:
    """The lines of a manifest; none where there is no such file. Raises PolyheadError for a damaged one."""
    try:
        content = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError) as error:
        raise PolyheadError(f"{path} cannot be read ({error}); name another --out") from error
    for number, line in enumerate(content.split("\n")[:-1], 1):  # what ends in no line feed is unfinished
        try:
            found = _LINES.validate_json(line)
        except ValidationError:
            raise PolyheadError(
                f"{path}:{number}: this is no line of a manifest of this version of polyhead; name another --out"
            ) from None
        if (number == 1) != isinstance(found, Heading):
            raise PolyheadError(f"{path}:{number}: a manifest begins with the job, once; name another --out")
        yield found


def _written(line: Config) -> str:
    return f"{json.dumps(line.model_dump(mode='json'), ensure_ascii=False)}\n"


def _check_same(found: Heading, wanted: Heading, directory: Path) -> None:
    if found.model != wanted.model:
        raise PolyheadError(
            f"{directory} has translations by another model, or by this one before it was changed; name another --out"
        )
    if other := _differing(found.settings, wanted.settings):
        raise PolyheadError(
            f"{directory} has translations with other settings ({other}); give the same ones, or name another --out"
        )


def _differing(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The names of the settings that differ."""
    return ", ".join(sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name)))
