"""Parquet tables, a column of which is translated."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from polyhead.errors import PolyheadError


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
