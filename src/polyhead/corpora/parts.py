"""Which files make up a corpus: one, those of a directory or an archive, or those that a pattern names."""

import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, cast

from polyhead.corpora.archives import files_in
from polyhead.corpora.compressed import read_head
from polyhead.corpora.file_names import language_of
from polyhead.corpora.kinds import (
    ARCHIVES,
    ARROW,
    HEAD,
    JSONL,
    LINES,
    OF_PAIRS,
    SUBTITLES,
    Kind,
    kind_by_content,
    kind_by_name,
)
from polyhead.corpora.member import Member
from polyhead.errors import DataError
from polyhead.limits import LARGEST_SETTINGS, MOST_MEMBERS
from polyhead.reading import check_lasting, files_below, is_pattern, matching, read_text

_SAVED, _SAVED_SPLITS = "state.json", "dataset_dict.json"
"""Files in directories that Hugging Face's `datasets` saved: of one data set, and of several splits."""
_INFO, _COMPUTED = "dataset_info.json", ("cache-", "tmp")
"""A file beside those in which `datasets` keeps what it loaded, and how the names of files that it computed begin."""
_OF_SPLIT = re.compile(r"(-\d+-of-\d+)?\.arrow$")
"""What follows a split's name in the name of a file: `opus_books-train-00000-of-00002.arrow`."""


@dataclass(frozen=True)
class Part:
    """Files that are read together."""

    kind: Kind
    files: Mapping[str, Member]
    """Two or more files that belong together, by their languages; or a single file, by ""."""


@contextmanager
def parts_of(path: Path) -> Generator[Iterator[Part]]:
    """The parts of a corpus in the order of their names, to be read inside the block.

    Raises DataError where there is none, or a file is of a kind of which no pairs can be read.
    """
    with ExitStack() as stack:
        yield _parts(path, stack)


def _parts(path: Path, stack: ExitStack) -> Iterator[Part]:
    if path.is_dir():
        yield from _in_directory(path)
        return
    check_lasting(path, "a file of both languages is read more than once")
    if not is_pattern(path):
        yield from _of_file(Member.of(path), stack)
        return
    found = [Member.of(file) for file in matching(path)]
    if not found:
        raise DataError("no file has a name of this pattern", path)
    yield from _grouped(found, path, stack)


def _in_directory(path: Path) -> Iterator[Part]:
    if (path / _SAVED_SPLITS).is_file():
        raise DataError("this directory holds several splits; name one of them, such as its train/", path)
    if (path / _SAVED).is_file():
        yield from (Part(ARROW, {"": Member.of(file)}) for file in _saved_files(path))
        return
    if (path / _INFO).is_file() and (tables := _cached_files(path)):
        yield from (Part(ARROW, {"": Member.of(file)}) for file in tables)
        return
    files = sorted(file for file in files_below(path) if file.is_file())
    if len(files) > MOST_MEMBERS:
        raise DataError(f"this directory has more than {MOST_MEMBERS:,} files", path)
    yield from _grouped([Member.of(file) for file in files], path, None)


def _saved_files(path: Path) -> list[Path]:
    """The files of a data set that Hugging Face's `datasets` saved."""
    try:
        state = cast("dict[str, Any]", json.loads(read_text(path / _SAVED, LARGEST_SETTINGS)))
        names = [str(each["filename"]) for each in state["_data_files"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError("this is no description of a saved data set", path / _SAVED) from error
    for name in names:
        if Path(name).name != name or not (path / name).is_file():
            raise DataError(f"it names the file {name!r}, which is not beside it", path / _SAVED)
    return [path / name for name in names]


def _cached_files(path: Path) -> list[Path]:
    """The files of a data set as `datasets` keeps what it loaded, without what it computed from them since.

    Raises DataError where they are of several splits.
    """
    found = sorted(file for file in path.glob("*.arrow") if not file.name.startswith(_COMPUTED))
    splits = sorted({_OF_SPLIT.sub("", file.name) for file in found})
    if len(splits) > 1:
        raise DataError(
            f"this directory holds several splits; name one of them by a pattern, such as {splits[0]}*.arrow", path
        )
    return found


def _of_file(file: Member, stack: ExitStack) -> Iterator[Part]:
    """The part that a file is or, if it is an archive, the parts in it."""
    kind = kind_by_name(file.name) or kind_by_content(read_head(file, HEAD))
    if kind in ARCHIVES:
        yield from _grouped(stack.enter_context(files_in(file, kind)), Path(file.name), None)
    elif kind in OF_PAIRS:
        yield Part(kind, {"": file})
    else:
        raise DataError(_no_pairs(kind), file.name)


def _no_pairs(kind: Kind | None) -> str:
    """What to say of a file that holds no pairs by itself."""
    if kind is SUBTITLES:
        return "subtitles need those of the other language; give both with --source and --target"
    if kind is not None:
        return f"this is {kind.title}, of which no sentence pairs can be read"
    known = ", ".join(ending for kind in (*OF_PAIRS, *ARCHIVES) for ending in kind.endings[:1])
    return f"the kind of this file isn't known; known are {known}. Two aligned files go with --source and --target"


def _grouped(files: Sequence[Member], path: Path, stack: ExitStack | None) -> Iterator[Part]:
    """The parts among many files. Files of other kinds, such as a README, are passed over.

    stack: keeps archives among the files open; None: archives are passed over
    """
    if len(files) > MOST_MEMBERS:
        raise DataError(f"these are more than {MOST_MEMBERS:,} files", path)
    found = False
    together = dict(_together(files))
    for file in files:
        kind = kind_by_name(file.name)
        if file.name in together:
            found = True
            yield together[file.name]
        elif kind in ARCHIVES and stack is not None:
            found = True
            yield from _of_file(file, stack)
        elif kind in OF_PAIRS and not (kind is JSONL and PurePath(file.name).suffix == ".json"):
            found = True
            yield Part(kind, {"": file})
    if not found:
        known = ", ".join(ending for kind in OF_PAIRS for ending in kind.endings[:1])
        raise DataError(
            f"none of its {len(files)} files holds sentence pairs by its name ({known}, or two aligned)", path
        )


def _together(files: Iterable[Member]) -> Iterator[tuple[str, Part]]:
    """The parts of files whose names differ in the language alone, as `a.en` and `a.ko`, by the name of their first."""
    groups: dict[tuple[str, Kind], dict[str, Member]] = {}
    for file in files:
        kind = kind_by_name(file.name) or LINES
        language = language_of(Path(file.name))
        if kind in (LINES, SUBTITLES) and language is not None:
            stem = file.name.rpartition(f".{language}")[0]
            groups.setdefault((stem, kind), {}).setdefault(language, file)
    for (_, kind), members in groups.items():
        if len(members) > 1:
            yield next(iter(members.values())).name, Part(kind, members)
