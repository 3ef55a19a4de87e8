"""Files appear whole or not at all."""

import os

import pytest

from polyhead.files import Stamp, atomic_file, remove_leftovers, write_text


def test_text_is_written_with_its_directories(tmp_path):
    path = tmp_path / "a" / "b" / "c.txt"
    write_text(path, "한\nß\n")
    assert path.read_bytes() == "한\nß\n".encode()
    assert [each.name for each in path.parent.iterdir()] == ["c.txt"]


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    def failing() -> None:
        with atomic_file(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_old_file_stands_until_the_new_one_is_on_disk(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old")
    seen = []
    flush = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: (seen.append(path.read_text()), flush(descriptor))[1])
    write_text(path, "new")
    assert seen[0] == "old"
    assert path.read_text() == "new"


def test_only_unfinished_files_are_left_over(tmp_path):
    kept = [tmp_path / name for name in (".gitignore", ".git.keep", "model.unfinished", "file")]
    for path in kept:
        path.write_text("mine")
    with atomic_file(tmp_path / "file") as temporary:
        remove_leftovers(tmp_path)
        assert not temporary.exists()
        temporary.write_text("again")
    assert all(path.exists() for path in kept)


def test_a_stamp_tells_of_writing_into_the_file_alone(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    stamp = Stamp.of(path)
    assert not stamp.overwritten
    write_text(path, "another file of that name")
    assert not stamp.overwritten
    stamp = Stamp.of(path)
    path.write_text("other contents")
    assert stamp.overwritten
    path.unlink()
    assert not stamp.overwritten
