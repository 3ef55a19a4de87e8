"""Which files are to be translated, and under which names their translations go into the output directory."""

import glob
import os
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePath

from polyhead.errors import DataError, PolyheadError
from polyhead.reading import files_below, is_pattern


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
    Raises DataError for a path where nothing is, a pattern that nothing matches and a directory that can't be read,
    PolyheadError where two files would have the same name; Windows and macOS ignore case in names.
    """
    found: dict[str, Input] = {}
    for each in (each for path in given for each in _files(path, out)):
        other = found.setdefault(_folded(each.name), each)
        if other is not each and not each.path.samefile(other.path):
            where = "" if other.name == each.name else ", where case is ignored"
            raise PolyheadError(
                f"{other.path} and {each.path} would both become {out / each.name}{where}: translate them into two "
                "directories"
            )
    return sorted(found.values(), key=lambda each: each.name)


def _files(path: Path, out: Path) -> Iterator[Input]:
    if is_pattern(path):
        root, parts = _divided(path)
        try:
            matches = [each for each in sorted({*_matches(root, parts)}) if not _is_hidden(each, root)]
        except OSError as error:
            raise DataError(f"it cannot be read: {error.strerror or error}", error.filename or path) from error
        if not matches:
            raise DataError("no file matches this pattern", path)
        yield from (Input(each, _name(each, root)) for each in matches if not _is_within(each, out))
    elif path.is_dir():
        if out.exists() and path.samefile(out):
            raise PolyheadError(f"--out {out} is the directory that is to be translated; name another one")
        below = files_below(path, lambda folder: _is_within(folder, out))
        yield from (Input(each, _name(each, path)) for each in below)
    elif path.is_file():
        yield Input(path, path.name)
    else:
        raise DataError("there is no such file or directory", path)


def _matches(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    """The files below a folder whose paths the parts of a pattern match; `**` is folders of any depth, but no links.

    Raises OSError for a folder that can't be read, over which Path.glob passes without a word.
    """
    part, rest = parts[0], parts[1:]
    if not glob.has_magic(part):
        found = [folder / part] if (folder / part).exists() else []
    elif folder.is_dir():
        with os.scandir(folder) as entries:
            found = [Path(folder, entry.name) for entry in entries if not entry.name.startswith(".")]
    else:
        found = []
    if part == "**":
        yield from _matches(folder, rest or ["*"])
        for each in found:
            if each.is_dir() and not each.is_symlink():
                yield from _matches(each, parts)
        return
    for each in found:
        if fnmatch(each.name, part) or each.name == part:
            if rest and each.is_dir():
                yield from _matches(each, rest)
            elif not rest and each.is_file():
                yield each


def _folded(name: str) -> str:
    """What names have in common that this system takes for one: Windows and macOS ignore case."""
    if sys.platform not in ("win32", "darwin"):
        return name
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _is_within(path: Path, out: Path) -> bool:
    return path.resolve().is_relative_to(out.resolve())


def _is_hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


def _divided(path: Path) -> tuple[Path, tuple[str, ...]]:
    """The directory before the first wildcard and the parts from there on: `a/b`, `(*, c*.txt)` of `a/b/*/c*.txt`.

    Raises DataError for a pattern in which ** is only a piece of a part.
    """
    if any("**" in part and part != "**" for part in path.parts):
        raise DataError("** stands for directories of any depth and must be alone between slashes: **/*.txt", path)
    magic = next(number for number, part in enumerate(path.parts) if glob.has_magic(part))
    return Path(*path.parts[:magic]), path.parts[magic:]


def _name(path: Path, root: Path) -> str:
    return PurePath(os.path.relpath(path, root)).as_posix()
