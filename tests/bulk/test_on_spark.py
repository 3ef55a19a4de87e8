"""Spark's `mapInPandas` with the translator, where Spark is installed."""

import sys

import pytest

sql = pytest.importorskip("pyspark.sql")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_map_in_pandas_takes_the_translator(doing, monkeypatch):
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    spark = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        rows = [(i, f"line {i}" if i else None) for i in range(40)]
        frame = spark.createDataFrame(rows, "id long, text string").repartition(3)
        found = frame.mapInPandas(doing.echo().frames, "id long, text string, translation string").collect()
    finally:
        spark.stop()
    assert sorted((row.id, row.translation) for row in found) == [(0, None), *((i, f"LINE {i}") for i in range(1, 40))]
