"""Which files a corpus is read from, and how much text is in them."""

import gzip
import os

import pytest

from polyhead.data.readers import LinesConfig, PairsConfig, TsvConfig
from polyhead.data.stored.stamps import bytes_of, files_of, stamps_of


@pytest.fixture
def files(tmp_path):
    for name, size in (("a.en", 10), ("a.fr", 20), ("b.tsv", 40), ("c/d.tmx", 80), ("c/e.tmx", 160)):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x" * size)
    return tmp_path


def test_the_files_of_every_kind_of_reader_are_found(files):
    lines = LinesConfig(source=files / "a.en", target=files / "a.fr")
    found = files_of([lines, TsvConfig(path=files / "b.tsv"), PairsConfig(path=files / "c")])
    assert [path.name for path in found] == ["a.en", "a.fr", "b.tsv", "d.tmx", "e.tmx"]
    assert bytes_of(found) == 310
    assert files_of([PairsConfig(path=files / "c" / "*.tmx")]) == [files / "c" / "d.tmx", files / "c" / "e.tmx"]


def test_what_is_no_regular_file_cannot_be_known_again(files):
    assert files_of([TsvConfig(path=files / "missing.tsv")]) is None
    if hasattr(os, "mkfifo"):
        os.mkfifo(files / "pipe")
        assert files_of([TsvConfig(path=files / "pipe")]) is None


def test_compressed_text_counts_for_more_than_its_size(files):
    path = files / "a.en.gz"
    path.write_bytes(gzip.compress(b"x" * 1000))
    assert bytes_of([path]) == 4 * path.stat().st_size


def test_a_change_in_the_middle_of_a_large_file_of_the_same_size_and_time_is_seen_in_a_sample(tmp_path):
    path = tmp_path / "large.tsv"
    path.write_bytes(b"x" * (3 << 20))
    (before,), times = stamps_of([path]), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    path.write_bytes(b"x" * (1 << 20) + b"y" * (1 << 20) + b"x" * (1 << 20))
    os.utime(path, ns=times)
    (after,) = stamps_of([path])
    assert before[:3] == after[:3]
    assert before.samples != after.samples
