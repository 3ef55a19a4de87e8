"""Parquet tables: some rows are a shard, and the translations of a column become one more column."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from polyhead.bulk.batch_translator import BatchTranslator
from polyhead.bulk.cutting import Cutting
from polyhead.bulk.shard import Shard, Translated
from polyhead.errors import DataError
from polyhead.extras import needing_extra
from polyhead.manifest import digest_of

_MOST_SHARDS = 1_000_000
_TEXTS = ("string", "large_string", "string_view")
"""Types of text, as pyarrow writes their names."""


def cut_table(path: Path, rows: int) -> Cutting:
    """A table in shards of so many rows. Raises DataError where it can't be read, MissingExtra without pyarrow."""
    with _opened(path) as file, _reading(path):
        total = int(file.metadata.num_rows)
        counts = [int(file.metadata.row_group(group).num_rows) for group in range(file.num_row_groups)]
    if total != sum(counts) or min(counts, default=0) < 0:
        raise DataError(
            f"this Parquet table is damaged: its row groups don't have the {total:,} rows that it has", path
        )
    if total > rows * _MOST_SHARDS:
        raise DataError(f"{total:,} rows are too many for shards of {rows:,}; raise --shard-lines", path)
    cuts = tuple((row, row) for row in range(0, total, rows)) or ((0, 0),)
    return Cutting(digest_of(path), total, total, cuts)


def translate_rows(shard: Shard, translator: BatchTranslator) -> Translated:
    """The rows of a shard with their translations in one more column, as a Parquet table.

    Raises DataError where the table has no such column of text, has the new one already, or is damaged.
    """
    pyarrow, parquet = _pyarrow()
    with _opened(shard.source) as file, _reading(shard.source):
        _check_columns(file.schema_arrow, translator, shard.source)
        table = _rows(file, shard.start, shard.end)
        table.column(translator.column).validate(full=True)  # nothing else checks that texts are UTF-8
        texts = table.column(translator.column).to_pylist()
    done = translator(texts)
    written = pyarrow.BufferOutputStream()
    parquet.write_table(table.append_column(translator.into, pyarrow.array(done, pyarrow.string())), written)
    return Translated(written.getvalue().to_pybytes())


def join_tables(pieces: Sequence[Path], out: Path) -> None:
    """Writes the shards of a table as one table."""
    _, parquet = _pyarrow()
    with parquet.ParquetWriter(out, parquet.read_schema(pieces[0])) as writer:
        for piece in pieces:
            writer.write_table(parquet.read_table(piece))


def _rows(file: Any, start: int, end: int) -> Any:
    """Rows start … end - 1 of a table, of which only the row groups that they lie in are read."""
    first, groups, skipped = 0, list[int](), None
    for group in range(file.num_row_groups):
        count = int(file.metadata.row_group(group).num_rows)
        if first < end and start < first + count:
            skipped = start - first if skipped is None else skipped
            groups.append(group)
        first += count
    return file.read_row_groups(groups).slice(skipped or 0, end - start)


def _check_columns(schema: Any, translator: BatchTranslator, path: Path) -> None:
    names: list[str] = schema.names
    if translator.column not in names:
        raise DataError(f"it has no column {translator.column!r}; its columns are {', '.join(names)}", path)
    if (count := names.count(translator.column)) > 1:
        raise DataError(f"it has {count} columns of the name {translator.column!r}; rename all but one", path)
    kind = schema.field(translator.column).type
    if not _is_text(kind):
        raise DataError(f"its column {translator.column!r} is no text but {kind}; name another --column", path)
    if translator.into in names:
        raise DataError(f"it has a column {translator.into!r} already, which translations would be written to", path)


def _is_text(kind: Any) -> bool:
    """Whether the type of a column is text, be it by a dictionary."""
    return str(kind.value_type if hasattr(kind, "index_type") else kind) in _TEXTS


def _opened(path: Path) -> Any:
    _, parquet = _pyarrow()
    with _reading(path):
        return parquet.ParquetFile(path)


@contextmanager
def _reading(path: Path) -> Generator[None]:
    """Makes DataErrors of what pyarrow raises inside the block."""
    pyarrow, _ = _pyarrow()
    try:
        yield
    except MemoryError:  # pyarrow's own is one, too
        raise
    except cast("tuple[type[Exception], ...]", (OSError, UnicodeDecodeError, pyarrow.ArrowException)) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"this Parquet table cannot be read: {reason}", path) from error


def _pyarrow() -> tuple[Any, Any]:
    with needing_extra("translating Parquet tables"):
        return import_module("pyarrow"), import_module("pyarrow.parquet")
