"""Parquet tables: some rows are a shard, and the translations of a column become one more column."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from polyhead.bulk.batch_translator import BatchTranslator
from polyhead.bulk.cutting import Cutting
from polyhead.bulk.shard import Shard, Translated
from polyhead.errors import DataError
from polyhead.extras import needing_extra
from polyhead.manifest import digest_of


def cut_table(path: Path, rows: int) -> Cutting:
    """A table in shards of so many rows. Raises DataError where it can't be read, MissingExtra without pyarrow."""
    with _opened(path) as file:
        total = int(file.metadata.num_rows)
    cuts = tuple((row, row) for row in range(0, total, rows)) or ((0, 0),)
    return Cutting(digest_of(path), total, total, cuts)


def translate_rows(shard: Shard, translator: BatchTranslator) -> Translated:
    """The rows of a shard with their translations in one more column, as a Parquet table.

    Raises DataError where the table has no such column, or has the new one already.
    """
    pyarrow, parquet = _pyarrow()
    with _opened(shard.source) as file:
        _check_columns(file.schema_arrow.names, translator, shard.source)
        table = _rows(file, shard.start, shard.end)
    done = translator(table.column(translator.column).to_pylist())
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


def _check_columns(names: Sequence[str], translator: BatchTranslator, path: Path) -> None:
    if translator.column not in names:
        raise DataError(f"it has no column {translator.column!r}; its columns are {', '.join(names)}", path)
    if translator.into in names:
        raise DataError(f"it has a column {translator.into!r} already, which translations would be written to", path)


def _opened(path: Path) -> Any:
    pyarrow, parquet = _pyarrow()
    try:
        return parquet.ParquetFile(path)
    except (OSError, pyarrow.ArrowException) as error:
        raise DataError(f"this Parquet table cannot be read: {error}", path) from error


def _pyarrow() -> tuple[Any, Any]:
    with needing_extra("translating Parquet tables"):
        return import_module("pyarrow"), import_module("pyarrow.parquet")
