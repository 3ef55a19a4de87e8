"""Which files are to be translated, and under which names their translations go into the output directory."""

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from polyhead.errors import DataError, PolyheadError
from polyhead.reading import is_pattern


@dataclass(frozen=True)
class Input:
    """A file to translate."""

    path: Path
    name: str
    """The path of its translation below the output directory, with / between the parts."""


def find_inputs(given: Sequence[Path], out: Path) -> list[Input]:
    """The files that directories, patterns and names of files stand for, in the order of their names.

    The files of a directory keep their paths below it, those that match a pattern their paths below its part without
    wildcards, and a file that was named keeps its name alone. Hidden files and the output directory are passed over.
    Raises DataError for a path where nothing is and a pattern that nothing matches, PolyheadError where two files would
    have the same name.
    """
    found: dict[str, Input] = {}
    for each in (each for path in given for each in _files(path, out)):
        other = found.setdefault(each.name, each)
        if other is not each and not each.path.samefile(other.path):
            raise PolyheadError(
                f"{other.path} and {each.path} would both become {out / each.name}: translate them into two directories"
            )
    return [found[name] for name in sorted(found)]


def _files(path: Path, out: Path) -> Iterator[Input]:
    if is_pattern(path):
        root, pattern = _divided(path)
        matches = [each for each in sorted(root.glob(pattern)) if each.is_file() and not _is_hidden(each, root)]
        if not matches:
            raise DataError("no file matches this pattern", path)
        yield from (Input(each, _name(each, root)) for each in matches if not _is_within(each, out))
    elif path.is_dir():
        if out.exists() and path.samefile(out):
            raise PolyheadError(f"--out {out} is the directory that is to be translated; name another one")
        yield from (Input(each, _name(each, path)) for each in _below(path, out))
    elif path.is_file():
        yield Input(path, path.name)
    else:
        raise DataError("there is no such file or directory", path)


def _below(directory: Path, out: Path) -> Iterator[Path]:
    """All files below a directory, without hidden ones; links to directories aren't followed."""
    for folder, folders, files in os.walk(directory):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        folders[:] = [each for each in folders if not _is_within(Path(folder, each), out)]
        for file in sorted(each for each in files if not each.startswith(".")):
            yield Path(folder, file)


def _is_within(path: Path, out: Path) -> bool:
    return path.resolve().is_relative_to(out.resolve())


def _is_hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


def _divided(path: Path) -> tuple[Path, str]:
    """The directory before the first wildcard and the pattern from there on: `a/b`, `*/c*.txt` of `a/b/*/c*.txt`."""
    magic = next(number for number, part in enumerate(path.parts) if glob.has_magic(part))
    return Path(*path.parts[:magic]), str(PurePath(*path.parts[magic:]))


def _name(path: Path, root: Path) -> str:
    return PurePath(os.path.relpath(path, root)).as_posix()
