"""Files that are translated with their form kept, for `polyhead translate --out`."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from re import Pattern
from typing import TYPE_CHECKING

from polyhead.cli.usage import UsageError
from polyhead.errors import DataError, counted
from polyhead.inline.codes import Marked

if TYPE_CHECKING:
    from polyhead.translating.translator import Translation

COMPRESSED = {"gzip", "bzip2", "xz", "zstd"}
"""Kinds of compressed files, which may hold lines of text."""
_MOST_SHOWN = 20
"""The most problems that are printed one by one."""


def read_document(file: Path | None, out: Path) -> bytes:
    """The content of a file to translate. Raises UsageError where no file is named, or it would be overwritten."""
    if file is None:
        raise UsageError("--out translates a file with its form kept: name the file before it")
    if out.exists() and out.samefile(file):
        raise UsageError(f"--out {out} is the file that is to be translated; name another one")
    if not file.is_file():
        raise DataError("there is no such file", str(file))
    return file.read_bytes()


def refuse_documents(file: Path | None) -> None:
    """Raises DataError for a file that isn't lines of text, with the command for it; lines may be compressed."""
    from polyhead.formats.recognising import LOOKED_AT, instead_of_lines, recognise

    if file is None or not file.is_file():
        return
    with file.open("rb") as opened:
        beginning = opened.read(LOOKED_AT)
    if recognise("", beginning) not in COMPRESSED and (said := instead_of_lines(str(file), beginning)):
        raise DataError(said, str(file))


def translate_document(
    content: bytes,
    names: tuple[Path, Path],
    languages: tuple[str | None, str],
    translate: Callable[[Sequence[Marked]], Sequence["Translation"]],
    own: Sequence[Pattern[str]],
) -> None:
    """Writes a file with its texts translated, and says on standard error what should be looked at.

    names: the paths of the file and of the one to write; languages: those of the source and the target
    """
    from polyhead.files import atomic_file
    from polyhead.formats.document import Source
    from polyhead.formats.translating import translate_document

    file, out = names
    source = Source(content, str(file), languages[1], languages[0])
    done = translate_document(source, translate, own=own)
    with atomic_file(out) as temporary:
        temporary.write_bytes(done.content)
    _say([f"{file}, {problem}" for problem in done.problems])
    print(f"polyhead: {out}: {counted(done.units, 'text')} translated", file=sys.stderr)


def say_problems(results: Sequence["Translation"]) -> None:
    """Says on standard error which translations of lines should be looked at, and why."""
    _say([f"line {number}: {problem}" for number, each in enumerate(results, 1) for problem in each.problems])


def _say(problems: Sequence[str]) -> None:
    for problem in problems[:_MOST_SHOWN]:
        print(f"polyhead: {problem}", file=sys.stderr)
    if len(problems) > _MOST_SHOWN:
        print(f"polyhead: {len(problems) - _MOST_SHOWN:,} more are to be looked at", file=sys.stderr)
