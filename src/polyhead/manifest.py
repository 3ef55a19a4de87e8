"""`SHA256SUMS`: what the files of a directory must contain, in the format of the command `sha256sum`.

A directory that has one lists there the SHA-256 of every file that matters, so that damage is found when a file is
read, and `sha256sum --check SHA256SUMS` finds it too. A directory without one is read without such a check: older
versions wrote none.

A new file is listed before it gets its name. While it replaces an older one both digests are listed, so that a crash at
any moment leaves files that are listed as they are.
"""

import hashlib
import os
import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path

from polyhead.errors import ModelError
from polyhead.files import atomic_file, discard, write_text
from polyhead.limits import LARGEST_RECORD
from polyhead.reading import Unreadable, open_regular, read_text

NAME = "SHA256SUMS"
PATTERNS = (
    "config.json", "languages.json", "*.safetensors", "*.spm", "README.md",
    "recipe.toml", "data.json", "scores.json",
    "record.json", "[0-9]*.jsonl", "*.source", "*.target",
)  # fmt: skip
"""The files of model directories that a new manifest lists; `metrics.jsonl`, which grows, is not among them."""

Digests = Mapping[str, frozenset[str]]
"""File name → the SHA-256 that it may have, in hexadecimal: one, or two while it is being replaced."""

_REMEDY = "copy it again, or take it as it is with `polyhead verify --accept`"
_LINE = re.compile(r"([0-9a-f]{64}) [ *]([^/\\]+)")


class NotListedError(ModelError):
    """A file that `SHA256SUMS` doesn't name: it is the list that is wrong, and the file may be whole."""


def digest_of(path: Path, most: int | None = None) -> str:
    """The SHA-256 of a regular file's contents, in hexadecimal.

    most: the bytes that it may have, if there is a limit
    Raises OSError where it can't be read or is larger.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if most is not None and size > most:
            raise Unreadable(f"it has {size:,} bytes, where at most {most:,} are expected")
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_listing(directory: Path) -> bool:
    """Whether the directory has a `SHA256SUMS`."""
    return (directory / NAME).exists()


def read_manifest(directory: Path) -> Digests | None:
    """What the directory's `SHA256SUMS` lists, or None where there is none.

    Raises ModelError where it can't be read or is no list of digests.
    """
    path = directory / NAME
    try:
        lines = read_text(path, LARGEST_RECORD).splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read ({error}); {_REMEDY}") from error
    found: dict[str, frozenset[str]] = {}
    for number, line in enumerate(lines, start=1):
        parts = _LINE.fullmatch(line)
        if parts is None:
            raise ModelError(f"{path}:{number}: this line is no SHA-256 digest with a file name; {_REMEDY}")
        found[parts[2]] = found.get(parts[2], frozenset()) | {parts[1]}
    return found


def check_listed(path: Path, most: int | None = None) -> None:
    """Raises ModelError where the file isn't as its directory's `SHA256SUMS` says.

    most: the bytes that it may have, if there is a limit
    Nothing is read where the directory has no `SHA256SUMS`. Raises OSError where the file can't be read or is larger.
    """
    check_digest(path, lambda: digest_of(path, most))


def check_digest(path: Path, digest: Callable[[], str]) -> None:
    """Raises ModelError as `check_listed` does, for a file whose SHA-256 the caller finds out in another way."""
    digests = read_manifest(path.parent)
    if digests is None:
        return
    if path.name not in digests:
        raise NotListedError(f"{path} is not listed in {NAME}; {_REMEDY}")
    if digest() not in digests[path.name]:
        raise ModelError(f"{path} is damaged, or was changed by hand: its SHA-256 is not the one in {NAME}; {_REMEDY}")


@contextmanager
def listed_file(path: Path) -> Generator[Path]:
    """Writes a file as `atomic_file` does, and lists its SHA-256 in the directory's `SHA256SUMS`."""
    with atomic_file(path) as temporary:
        yield temporary
        digest = digest_of(temporary)
        before = _begun(path.parent)
        _write(path.parent, {**before, path.name: before.get(path.name, frozenset()) | {digest}})
    if path.name in before:
        _write(path.parent, {**before, path.name: frozenset({digest})})


def list_all(directory: Path) -> None:
    """Writes a `SHA256SUMS` that lists every file of a directory, which nothing else writes in."""
    list_as(directory, {path.name: digest_of(path) for path in directory.iterdir() if path.is_file()})


def list_as(directory: Path, digests: Mapping[str, str]) -> None:
    """Writes a `SHA256SUMS` of a directory with the given digests, file name → SHA-256."""
    _write(directory, {name: frozenset({digest}) for name, digest in digests.items()})


def write_listed_text(path: Path, text: str) -> None:
    """Writes `text` as UTF-8, atomically, and lists the file in its directory's `SHA256SUMS`."""
    with listed_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def remove_listed(directory: Path, names: Iterable[str]) -> None:
    """Takes files out of the directory's `SHA256SUMS`, and then deletes them.

    A file that can't be deleted, as on Windows while its pages are in use, stays but is no longer listed.
    """
    gone = frozenset(names)
    digests = (read_manifest(directory) or {}) if gone else {}
    if gone & digests.keys():
        _write(directory, {name: each for name, each in digests.items() if name not in gone})
    for name in gone:
        discard(directory / name)


def settle(directory: Path) -> None:
    """Lists one digest for each file again, where a crash left two because it came during a replacement."""
    digests = read_manifest(directory) or {}
    twice = [name for name, each in digests.items() if len(each) > 1 and (directory / name).is_file()]
    settled = {name: digests[name] & {digest_of(directory / name)} for name in twice}
    if any(settled.values()):
        _write(directory, {**digests, **{name: each for name, each in settled.items() if each}})


def listable(directory: Path) -> list[Path]:
    """The files that a new manifest of the directory would list, by name."""
    return sorted(path for path in directory.iterdir() if path.is_file() and any(map(path.match, PATTERNS)))


def accept(directory: Path) -> None:
    """Lists the directory's files as they are now, whatever was listed before."""
    _write(directory, {path.name: frozenset({digest_of(path)}) for path in listable(directory)})


def _begun(directory: Path) -> Digests:
    """What `SHA256SUMS` lists; where there is none, the directory's files as an older version left them."""
    found = read_manifest(directory)
    if found is None:
        return {path.name: frozenset({digest_of(path)}) for path in listable(directory)}
    return found


def _write(directory: Path, digests: Digests) -> None:
    lines = [f"{digest}  {name}\n" for name in sorted(digests) for digest in sorted(digests[name])]
    write_text(directory / NAME, "".join(lines))
