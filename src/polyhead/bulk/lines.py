"""Files of lines: cut after line feeds, translated line by line, joined as they were cut."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from polyhead.bulk.cutting import Cutting, cut
from polyhead.errors import DataError
from polyhead.reading import open_regular

TranslateTexts = Callable[[Sequence[str]], Sequence[str]]
"""Texts → one translation for each, in order."""

_CHUNK = 1 << 20
_MARK = "\ufeff"


def cut_lines(path: Path, lines: int) -> Cutting:
    """Where a file is cut into shards of so many lines. Raises DataError, and OSError where it can't be read."""
    with open_regular(path) as file:
        return cut(iter(lambda: file.read(_CHUNK), b""), lines, path)


def translate_lines(data: bytes, translate: TranslateTexts, path: Path, before: int) -> bytes:
    r"""A shard of a file in translation: as many lines as it has, each with the end that it has (`\n`, `\r\n` or none).

    A byte order mark stays, and a line break inside a translation becomes a space.
    path: the file's, and before: the lines before the shard, for messages
    Raises DataError where a line isn't UTF-8, and for lines that end in carriage returns alone.
    """
    text = _decoded(data, path, before)
    mark = _MARK if before == 0 and text.startswith(_MARK) else ""
    found = list(_cut(text[len(mark) :]))
    if before == 0 and len(found) == 1 and found[0][0].count("\r") > 1:
        raise DataError(r"its lines end in carriage returns alone; convert it first: tr '\r' '\n' < FILE > OTHER", path)
    done = translate([line for line, _ in found])
    if len(done) != len(found):
        raise ValueError(f"the translator was given {len(found)} lines and gave back {len(done)}")
    joined = "".join(f"{line.replace(chr(10), ' ')}{end}" for line, (_, end) in zip(done, found, strict=True))
    return f"{mark}{joined}".encode()


def _cut(text: str) -> Iterator[tuple[str, str]]:
    """The lines of a text, each with its line end; an empty text has none."""
    *ended, last = text.split("\n")
    for line in ended:
        bare = line.removesuffix("\r")
        yield bare, f"{line[len(bare) :]}\n"
    if last:
        bare = last.removesuffix("\r")
        yield bare, last[len(bare) :]


def _decoded(data: bytes, path: Path, before: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start)
        place = error.start - (data.rfind(b"\n", 0, error.start) + 1)
        byte = data[error.start]
        message = f"invalid UTF-8: byte {place + 1} of the line is 0x{byte:02X}; save the text as UTF-8"
        raise DataError(message, path, before + line + 1) from error
