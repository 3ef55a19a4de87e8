"""The kinds of files that are translated in bulk: how each is cut, how a shard is translated, how shards are joined."""

import codecs
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyhead.bulk.batch_translator import BatchTranslator
from polyhead.bulk.cutting import Cutting
from polyhead.bulk.documents import cut_document, translate_whole
from polyhead.bulk.lines import cut_lines, translate_lines
from polyhead.bulk.shard import Shard, Translated
from polyhead.bulk.tables import cut_table, join_tables, translate_rows
from polyhead.errors import DataError
from polyhead.formats.kinds import FORMATS
from polyhead.formats.recognising import LOOKED_AT, instead_of_lines, recognise
from polyhead.reading import open_regular

_MOST_IN_MEMORY = 1 << 20


@dataclass(frozen=True)
class FileKind:
    """What is done with the files of a kind."""

    cut: Callable[[Path, int], Cutting]
    """A file, and the most lines or rows of a shard → its shards."""
    translate: Callable[[Shard, BatchTranslator], Translated]
    """A shard → its translation."""
    join: Callable[[Sequence[Path], Path], None]
    """Writes the file that translated shards make."""


def kind_of(path: Path, *, has_column: bool) -> str:
    """A file's kind, one of `KINDS`. Raises DataError where it can't be translated, OSError where it can't be read.

    has_column: whether a column of tables was named
    """
    with open_regular(path) as file:
        beginning = file.read(LOOKED_AT)
    kind = recognise(path.name, beginning)
    if kind == "parquet" and has_column:
        return "table"
    if kind == "parquet":
        raise DataError("it is a Parquet table: name the column to translate with --column", path)
    if kind in FORMATS and kind != "text":
        return "document"
    if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "document"  # a document keeps its encoding
    if said := instead_of_lines(str(path), beginning):
        raise DataError(said, path)
    return "lines"


def _translate_lines(shard: Shard, translator: BatchTranslator) -> Translated:
    with open_regular(shard.source) as file:
        file.seek(shard.start)
        data = file.read(shard.end - shard.start)
    problems: list[str] = []

    def translate(lines: Sequence[str]) -> list[str]:
        done = translator.translations(list(map(translator.marked, lines)))
        for line, each in enumerate(done, shard.before + 1):
            problems.extend(f"{shard.source}, line {line}: {problem}" for problem in each.problems)
        return [each.marked.written() for each in done]

    written = translate_lines(data, translate, shard.source, shard.before)
    if len(data) != shard.end - shard.start or written.count(b"\n") != data.count(b"\n"):
        raise DataError("it was changed while it was translated; run the command again", shard.source)
    return Translated(written, tuple(problems))


def _concatenate(pieces: Sequence[Path], out: Path) -> None:
    with out.open("wb") as whole:
        for piece in pieces:
            with piece.open("rb") as file:
                shutil.copyfileobj(file, whole, _MOST_IN_MEMORY)


KINDS: Mapping[str, FileKind] = {
    "lines": FileKind(cut_lines, _translate_lines, _concatenate),
    "document": FileKind(cut_document, translate_whole, _concatenate),
    "table": FileKind(cut_table, translate_rows, join_tables),
}
