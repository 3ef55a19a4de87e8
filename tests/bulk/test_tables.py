"""Parquet tables, a column of which is translated."""

from contextlib import nullcontext
from types import SimpleNamespace

import pyarrow as pa
import pytest
from pyarrow import parquet

from polyhead.bulk import tables
from polyhead.errors import DataError, PolyheadError


@pytest.fixture
def written(doing):
    """(columns) → a table with row groups of three rows."""

    def write(**columns):
        path = doing.texts / "t.parquet"
        parquet.write_table(pa.table(columns), path, row_group_size=3)
        return path

    return write


@pytest.fixture
def translate(doing, here):
    """(settings of the translator) → what became of the table."""
    return lambda **settings: doing.run(here(doing.echo(**settings)), has_column=True)


def test_all_rows_come_back_in_order_with_their_other_columns(doing, written, translate):
    texts = ["one", None, "three", "four", "five", "six", "seven"]
    source = written(id=list(range(7)), text=texts, more=[[i] for i in range(7)])
    done = translate(column="text", into="fr")
    assert (done.files, done.lines, done.failures) == (1, 7, {})
    found = parquet.read_table(doing.out / "t.parquet")
    assert found.drop_columns(["fr"]).equals(parquet.read_table(source))
    assert found.column("fr").to_pylist() == [text and text.upper() for text in texts]


def test_a_table_without_rows_stays_one(doing, written, translate):
    written(text=pa.array([], pa.string()))
    assert translate().failures == {}
    assert parquet.read_table(doing.out / "t.parquet").column_names == ["text", "translation"]


def test_columns_that_do_not_fit_are_told(doing, written, translate):
    written(text=["one"], translation=["un"])
    failure = translate(column="sentence").failures["t.parquet"]
    assert "has no column 'sentence'; its columns are text, translation" in failure
    assert "has a column 'translation' already" in translate().failures["t.parquet"]
    doing.write("t.parquet", b"PAR1\x15rubbish")
    assert "this Parquet table cannot be read" in translate().failures["t.parquet"]


def test_without_a_named_column_a_table_is_not_translated(doing, written, here):
    written(text=["one"])
    assert "name the column to translate with --column" in doing.run(here(doing.echo())).failures["t.parquet"]


def test_a_job_that_is_another_ones_is_refused_for_tables_too(doing, written, translate):
    written(text=["one"])
    translate()
    with pytest.raises(PolyheadError, match="another model"):
        doing.run(lambda shards: iter(()), model="b")


@pytest.mark.parametrize(
    "texts",
    [
        pa.array(["one", None], pa.large_string()),
        pa.array(["one", None]).dictionary_encode(),
        pytest.param(
            pa.array(["one", None], pa.string_view()) if hasattr(pa, "string_view") else None,
            marks=pytest.mark.skipif(not hasattr(pa, "string_view"), reason="an older pyarrow"),
        ),
    ],
)
def test_text_of_every_type_is_translated(doing, written, translate, texts):
    written(text=texts)
    assert translate().failures == {}
    assert parquet.read_table(doing.out / "t.parquet").column("translation").to_pylist() == ["ONE", None]


NO_UTF8 = pa.StringArray.from_buffers(1, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff"))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ([("text", [1, 2])], "its column 'text' is no text but int64; name another --column"),
        ([("text", [b"one"])], "its column 'text' is no text but binary"),
        ([("text", [["one"]])], "its column 'text' is no text but list"),
        ([("text", ["one"]), ("text", ["two"])], "it has 2 columns of the name 'text'; rename all but one"),
        ([("text", NO_UTF8)], "Invalid UTF8 sequence"),
    ],
)
def test_columns_that_hold_no_text_are_told(doing, translate, columns, said):
    table = pa.Table.from_arrays([pa.array(values) for _, values in columns], names=[name for name, _ in columns])
    parquet.write_table(table, doing.texts / "t.parquet")
    failure = translate().failures["t.parquet"]
    assert said in failure
    assert "fault of polyhead" not in failure


@pytest.mark.parametrize(
    ("total", "groups", "said"),
    [
        (3 * 10**9, [3], "its row groups don't have the 3,000,000,000 rows"),
        (3, [5, -2], "damaged"),
        (3 * 10**9, [3 * 10**9], "3,000,000,000 rows are too many for shards of 2,000; raise --shard-lines"),
    ],
)
def test_a_table_is_not_believed_how_many_rows_it_has(written, monkeypatch, total, groups, said):
    path = written(text=["one"])
    groups = [SimpleNamespace(num_rows=count) for count in groups]
    footer = SimpleNamespace(num_rows=total, row_group=groups.__getitem__)
    file = SimpleNamespace(metadata=footer, num_row_groups=len(groups))
    monkeypatch.setattr(tables, "_opened", lambda _: nullcontext(file))
    with pytest.raises(DataError, match=said):
        tables.cut_table(path, 2_000)


def test_a_table_for_which_the_memory_is_not_enough_is_not_called_damaged(written, translate, monkeypatch):
    def rows(*_):
        raise pa.ArrowMemoryError("malloc of size 4096 failed")

    written(text=["one"])
    monkeypatch.setattr(tables, "_rows", rows)
    assert "the memory is not enough" in translate().failures["t.parquet"]
