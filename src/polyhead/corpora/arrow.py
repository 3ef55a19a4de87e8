"""Parquet and Arrow: columnar tables, of which some rows at a time are read."""

import importlib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, cast

from polyhead.corpora.compressed import seekable
from polyhead.corpora.json_lines import flat
from polyhead.corpora.member import Member
from polyhead.corpora.unit import Unit, Wanted
from polyhead.errors import DataError, shown
from polyhead.extras import needing_extra

_ROWS = 1_000
"""Rows that are in memory at a time, at least where the file lets them be read apart."""
_REFUSED = (MemoryError, OSError, ValueError, KeyError, OverflowError)
"""What pyarrow raises besides errors of its own, as for a date that Python has no object for."""


def read_parquet(member: Member, wanted: Wanted) -> Iterator[Unit]:
    """The rows of a Parquet file. Raises DataError for a damaged one, MissingExtra without pyarrow."""
    del wanted
    parquet = _module("pyarrow.parquet", member)
    with ExitStack() as stack:
        file = _checked(lambda: stack.enter_context(parquet.ParquetFile(_source(member, stack))), member)
        names = _text_columns(file.schema_arrow, member)
        yield from _units(file.iter_batches(batch_size=_ROWS, columns=names), names, member)


def read_arrow(member: Member, wanted: Wanted) -> Iterator[Unit]:
    """The rows of an Arrow file or stream. Raises DataError for a damaged one, MissingExtra without pyarrow."""
    del wanted
    pyarrow = _module("pyarrow", member)
    with ExitStack() as stack:
        source = _source(member, stack)
        is_indexed = _begins_with(source, b"ARROW1")
        opened = pyarrow.ipc.open_file if is_indexed else pyarrow.ipc.open_stream
        reader = _checked(lambda: stack.enter_context(opened(source)), member)
        batches = (reader.get_batch(i) for i in range(reader.num_record_batches)) if is_indexed else iter(reader)
        yield from _units(batches, _text_columns(reader.schema, member), member)


def _units(batches: Iterator[Any], names: list[str], member: Member) -> Iterator[Unit]:
    number = 0
    while (batch := _checked(lambda: next(batches, None), member)) is not None:
        # Nothing else checks that the offsets of texts are within their buffer, and that the texts are UTF-8.
        _checked(lambda batch=batch: batch.validate(full=True), member)
        for start in range(0, batch.num_rows, _ROWS):
            for row in _checked(lambda start=start: batch.select(names).slice(start, _ROWS).to_pylist(), member):
                number += 1
                yield Unit(dict(flat(row)), f"{member.name} (row {number})")


def _text_columns(schema: Any, member: Member) -> list[str]:
    """The names of columns that may hold texts: text itself, and what holds text inside it, as its type says.

    Raises DataError where another column has the name of one of these.
    """
    columns = _checked(lambda: [(field.name, str(field.type)) for field in schema], member)
    found = [name for name, kind in columns if "string" in kind]
    count = Counter(name for name, _ in columns)
    twice = next((name for name in found if count[name] > 1), None)
    if twice is not None:
        raise DataError(f"this table has {count[twice]} columns of the name {shown(twice)}; rename them", member.name)
    return found


def _source(member: Member, stack: ExitStack) -> Any:
    """The file for pyarrow, open until the stack closes it: mapped into memory where it lies on the disk as it is."""
    if member.path is None or _is_packed(member):
        return stack.enter_context(seekable(member))
    pyarrow = _module("pyarrow", member)
    return stack.enter_context(_checked(lambda: pyarrow.memory_map(str(member.path)), member))


def _is_packed(member: Member) -> bool:
    return member.suffix not in (".parquet", ".arrow", ".feather")


def _begins_with(file: Any, mark: bytes) -> bool:
    found = file.read(len(mark)) == mark
    file.seek(0)
    return found


def _module(name: str, member: Member) -> Any:
    with needing_extra(f"reading {member.name}"):
        return importlib.import_module(name)


def _checked(read: Any, member: Member) -> Any:
    """What `read` gives. Raises DataError, in plain words, for pyarrow's own errors."""
    pyarrow = _module("pyarrow", member)
    try:
        return read()
    except cast("tuple[type[Exception], ...]", (pyarrow.ArrowException, *_REFUSED)) as error:
        reason = error.strerror if isinstance(error, FileNotFoundError) else str(error).partition("\n")[0][:120]
        raise DataError(f"this table cannot be read: {reason}", member.name) from error
