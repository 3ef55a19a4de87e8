"""Which files are translated, and what their translations are called."""

import errno
import os
import sys
import unicodedata
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


def test_a_folder_that_cannot_be_read_is_said(folder, monkeypatch) -> None:
    scandir = os.scandir

    def refusing(path):
        if Path(path) == folder / "sub":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    for given in (folder, folder / "**" / "*.txt", folder / "*" / "*.txt"):
        with pytest.raises(DataError, match="sub: it cannot be read: Permission denied"):
            names([given], folder / "out")
    assert names([folder / "*.txt"], folder / "out") == ["a.txt"]


def test_stars_in_the_middle_of_a_name_and_at_the_end(folder) -> None:
    out = folder / "out"
    with pytest.raises(DataError, match=r"must be alone between slashes"):
        names([folder / "**x"], out)
    assert names([folder / "sub" / "**"], out) == ["c.txt", "deep/d.txt"]
    assert names([folder / "*" / "deep" / "d.txt"], out) == ["sub/deep/d.txt"]


@pytest.mark.parametrize("other", ["A.TXT", "ÄÖ.txt", "straSSe.txt"])
def test_names_that_are_one_where_case_is_ignored_are_refused(folder, other, monkeypatch) -> None:
    name = {"A.TXT": "a.txt", "ÄÖ.txt": unicodedata.normalize("NFD", "äÖ.txt")}.get(other, "straße.txt")
    for path in (folder / "one" / name, folder / "two" / other):
        path.parent.mkdir()
        path.write_text("text")
    assert len(names([folder / "one", folder / "two"], folder / "out")) == 2
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(PolyheadError, match="where case is ignored: translate them"):
        names([folder / "one", folder / "two"], folder / "out")
