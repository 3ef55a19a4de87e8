"""Parquet and Arrow, and what Hugging Face's `datasets` saves."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import feather, ipc, parquet

from polyhead.corpora import Wanted, languages_of
from tests.corpora.conftest import Write
from tests.corpora.reading import pairs, refusal, units

ROWS = [{"en": f"a dog {number}", "ko": f"개 {number}"} for number in range(2_500)]
EXPECTED = [(row["en"], row["ko"]) for row in ROWS]


def flat() -> pa.Table:
    columns = {"n": list(range(len(ROWS))), **{code: [row[code] for row in ROWS] for code in ("ko", "en")}}
    return pa.table(columns)


def nested() -> pa.Table:
    return pa.table({"id": [str(n) for n in range(len(ROWS))], "translation": ROWS})


def write_parquet(table: pa.Table, path: Path) -> None:
    parquet.write_table(table, path, row_group_size=700)


def write_arrow(table: pa.Table, path: Path) -> None:
    with ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=600)


def write_stream(table: pa.Table, path: Path) -> None:
    with ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table)


def write_feather(table: pa.Table, path: Path) -> None:
    feather.write_feather(table, str(path))


WRITERS = {"a.parquet": write_parquet, "a.arrow": write_arrow, "b.arrow": write_stream, "a.feather": write_feather}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("make", [flat, nested])
def test_what_pyarrow_writes_is_read(tmp_path: Path, name: str, make) -> None:
    path = tmp_path / name
    WRITERS[name](make(), path)
    assert pairs(path, "en", "ko") == pairs(path, columns=("en", "ko")) == EXPECTED
    assert units(path, "ko", "en")[1999].place == f"{path} (row 2000)"
    assert set(languages_of(path, Wanted())) == {"en", "ko"}


def test_missing_texts_and_texts_that_stand_in_a_dictionary(tmp_path: Path) -> None:
    table = pa.table({"en": pa.array(["a", "a", None]).dictionary_encode(), "ko": ["가", None, "나"]})
    write_parquet(table, tmp_path / "a.parquet")
    assert [unit.flaw for unit in units(tmp_path / "a.parquet")] == [None, "no translation", "no translation"]


def test_missing_columns_are_said_with_those_that_are_there(tmp_path: Path) -> None:
    write_parquet(nested(), tmp_path / "a.parquet")
    said = refusal(tmp_path / "a.parquet", columns=("en", "de"))
    assert "none of its 2,500 units" in said
    assert "there are texts in id, translation.en, translation.ko" in said


@pytest.mark.parametrize("name", WRITERS)
def test_damaged_tables(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](flat(), path)
    whole = path.read_bytes()
    overwritten = whole[:100] + b"\xff" * (len(whole) // 2) + whole[100 + len(whole) // 2 :]
    for data in (whole[: len(whole) // 2], b"", b"PAR1", b"nonsense" * 100, overwritten):
        path.write_bytes(data)
        said = refusal(path)
        assert str(path) in said


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A directory as `Dataset.save_to_disk` leaves it."""
    folder = tmp_path / "set" / "train"
    folder.mkdir(parents=True)
    half = len(ROWS) // 2
    for number, part in enumerate((nested().slice(0, half), nested().slice(half))):
        write_stream(part, folder / f"data-{number:05d}-of-00002.arrow")
    files = [{"filename": f"data-{number:05d}-of-00002.arrow"} for number in range(2)]
    (folder / "state.json").write_text(json.dumps({"_data_files": files, "_split": "train"}))
    (folder / "dataset_info.json").write_text("{}")
    (tmp_path / "set" / "dataset_dict.json").write_text('{"splits": ["train"]}')
    return folder


def test_a_saved_data_set_is_read_in_its_order(saved: Path) -> None:
    assert pairs(saved) == EXPECTED
    assert "several splits; name one of them" in refusal(saved.parent)


@pytest.mark.parametrize("state", ["{}", "[]", "no JSON", '{"_data_files": [{"filename": "../../secret.arrow"}]}'])
def test_a_saved_data_set_names_nothing_elsewhere(saved: Path, state: str) -> None:
    (saved / "state.json").write_text(state)
    assert "state.json: " in refusal(saved)


@pytest.mark.parametrize(
    "state",
    [
        '{"_data_files": [{"filename": "\\ud800"}]}',
        '{"_data_files": [{"filename": "a\\u0000"}]}',
        '{"_data_files": [{"filename": "none.arrow"}]}',
        "[" * 100_000,
    ],
)
def test_a_saved_data_set_with_an_odd_description(saved: Path, state: str) -> None:
    (saved / "state.json").write_text(state)
    assert "state.json: " in refusal(saved)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("others", [["en", "en"], ["en", "n", "n"]])
def test_columns_of_one_name_are_told(tmp_path: Path, name: str, others: list[str]) -> None:
    columns = {"en": pa.array(["a"]), "n": pa.array([1])}
    table = pa.Table.from_arrays([pa.array(["가"]), *(columns[each] for each in others)], names=["ko", *others])
    WRITERS["a.arrow" if name == "a.feather" else name](table, tmp_path / name)
    if "n" in others:
        assert pairs(tmp_path / name, "en", "ko") == [("a", "가")]
    else:
        assert f"{name}: this table has 2 columns of the name 'en'; rename them" in refusal(tmp_path / name)


@pytest.mark.parametrize("name", WRITERS)
def test_dates_that_python_does_not_know_are_told(tmp_path: Path, name: str) -> None:
    days = pa.array([10_000_000], pa.int32()).cast(pa.date32())
    table = pa.table({"both": pa.StructArray.from_arrays([pa.array(["a"]), days], names=["en", "date"])})
    WRITERS[name](table, tmp_path / name)
    assert f"{name}: this table cannot be read: " in refusal(tmp_path / name)


def test_compressed_ones_are_read_too(tmp_path: Path, write: Write) -> None:
    import gzip

    write_parquet(flat(), tmp_path / "a.parquet")
    path = write("b.parquet.gz", gzip.compress((tmp_path / "a.parquet").read_bytes()))
    assert pairs(path, "en", "ko") == EXPECTED


def cached(tmp_path: Path, *names: str) -> Path:
    """A directory as `datasets` keeps what `load_dataset` loaded."""
    folder = tmp_path / "cached"
    folder.mkdir()
    (folder / "dataset_info.json").write_text("{}")
    for part, name in enumerate(names):
        write_stream(nested().slice(part * 1000, 1000), folder / name)
    return folder


def test_what_datasets_keeps_of_what_it_loaded_is_read_without_what_it_computed(tmp_path: Path) -> None:
    names = ["opus_books-train-00000-of-00002.arrow", "opus_books-train-00001-of-00002.arrow", "cache-0123abcd.arrow"]
    assert pairs(cached(tmp_path, *names), "en", "ko") == EXPECTED[:2000]


def test_splits_that_datasets_keeps_together_are_told_apart(tmp_path: Path) -> None:
    folder = cached(tmp_path, "opus_books-test.arrow", "opus_books-train.arrow")
    assert "holds several splits; name one of them by a pattern, such as opus_books-test*.arrow" in refusal(folder)
    assert pairs(folder / "opus_books-train*.arrow", "en", "ko") == EXPECTED[1000:2000]


@pytest.mark.parametrize("name", WRITERS)
def test_files_on_the_disk_are_mapped_and_not_copied(tmp_path: Path, name: str, monkeypatch) -> None:
    path = tmp_path / name
    WRITERS[name](flat(), path)
    opened = []
    memory_map = pa.memory_map
    monkeypatch.setattr(pa, "memory_map", lambda *names: opened.append(names) or memory_map(*names))
    assert pairs(path, "en", "ko") == EXPECTED
    assert opened
    assert set(opened) == {(str(path),)}
    path.unlink()  # and not held open
