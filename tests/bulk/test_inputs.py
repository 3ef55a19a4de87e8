"""Which files are translated, and what their translations are called."""

from pathlib import Path

import pytest

from polyhead.bulk.inputs import find_inputs
from polyhead.errors import DataError, PolyheadError
from polyhead.reading import is_pattern


@pytest.fixture
def folder(tmp_path) -> Path:
    for name in ("a.txt", "b.md", "sub/c.txt", "sub/deep/d.txt", ".hidden", ".git/config", "out/a.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path


def names(given: list[Path], out: Path) -> list[str]:
    return [each.name for each in find_inputs(given, out)]


def test_the_files_of_a_directory_keep_their_paths_without_hidden_ones_and_the_output(folder) -> None:
    assert names([folder], folder / "out") == ["a.txt", "b.md", "sub/c.txt", "sub/deep/d.txt"]


def test_files_that_match_a_pattern_keep_their_paths_below_its_fixed_part(folder) -> None:
    out = folder / "out"
    assert is_pattern(folder / "*.txt")
    assert names([folder / "*.txt"], out) == ["a.txt"]
    assert names([folder / "**" / "*.txt"], out) == ["a.txt", "sub/c.txt", "sub/deep/d.txt"]
    assert names([folder / "sub" / "*" / "*.txt"], out) == ["deep/d.txt"]
    with pytest.raises(DataError, match="no file matches this pattern"):
        names([folder / "*.po"], out)


def test_a_name_with_brackets_that_is_there_is_no_pattern(folder) -> None:
    file = folder / "[1].txt"
    file.write_text("one")
    assert not is_pattern(file)
    assert names([file], folder / "out") == ["[1].txt"]


def test_named_files_keep_their_names_and_two_of_one_name_are_refused(folder) -> None:
    other = folder / "other"
    other.mkdir()
    (other / "a.txt").write_text("other")
    assert names([folder / "a.txt", folder / "sub" / "c.txt", folder / "a.txt"], folder / "out") == ["a.txt", "c.txt"]
    with pytest.raises(PolyheadError, match="would both become"):
        names([folder / "a.txt", other / "a.txt"], folder / "out")


def test_what_is_not_there_and_the_output_itself_are_refused(folder) -> None:
    with pytest.raises(DataError, match="there is no such file or directory"):
        names([folder / "none"], folder / "out")
    with pytest.raises(PolyheadError, match="is the directory that is to be translated"):
        names([folder], folder)
