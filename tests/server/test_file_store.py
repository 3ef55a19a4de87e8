"""Translated files that wait to be fetched."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from polyhead.server.file_store import FileStore, limits_of_files
from polyhead.server.problems import Problem
from polyhead.server.settings import ServerConfig
from polyhead.server.shelf import MemoryShelf


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def store(clock=None, **settings):
    config = ServerConfig(**settings)
    return FileStore(config, MemoryShelf(limits_of_files(config), clock or Clock()))


def has(files, key):
    try:
        return bool(files.get(key))
    except Problem as problem:
        return problem.status_code != 404


def test_a_file_is_found_by_its_key_alone():
    files = store()
    key, other = files.add("a.txt", b"1"), files.add("a.txt", b"2")
    assert (files.get(key).content, files.get(other).content) == (b"1", b"2")
    assert len(key.removesuffix(".a.txt")) >= 32
    assert not has(files, "a.txt")


def test_files_are_forgotten_after_a_time():
    clock = Clock()
    files = store(clock, file_seconds=10)
    key = files.add("a.txt", b"1")
    clock.now += 9.9
    assert has(files, key)
    clock.now += 0.2
    assert not has(files, key)


def test_the_oldest_go_where_there_are_too_many_or_too_large_ones():
    files = store(max_files=2)
    keys = [files.add(name, b"1") for name in "abc"]
    assert [has(files, key) for key in keys] == [False, True, True]
    files = store(file_memory=10)
    keys = [files.add(name, b"1234567") for name in "ab"]
    assert [has(files, key) for key in keys] == [False, True]
    key = files.add("large", b"1" * 100)
    assert has(files, key), "the newest stays, however large it is"


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("메시지.po", "메시지.po"),
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\a b.txt", "a b.txt"),
        ('a"\r\nX: y.txt', "a_X_ y.txt"),
        ("..", "file"),
        ("", "file"),
        ("x" * 300 + ".txt", "x" * 96 + ".txt"),
    ],
)
def test_a_name_means_nothing_to_a_path_or_a_header(name, safe):
    files = store()
    assert files.get(files.add(name, b"")).name == safe


def test_no_more_files_are_translated_at_once_than_may_be():
    files = store(max_files_at_once=1)
    may_go = threading.Event()
    with ThreadPoolExecutor(1) as threads:
        first = files.submit(threads, may_go.wait, 20)
        with pytest.raises(Problem) as problem:
            files.submit(threads, int)
        assert (problem.value.status_code, problem.value.headers) == (429, {"Retry-After": "60"})
        may_go.set()
    assert first.result()
    for _ in range(2):  # what was not begun does not count
        with pytest.raises(RuntimeError, match="shutdown"):
            files.submit(threads, int)


def test_nothing_is_left_when_the_server_ends():
    files = store()
    key = files.add("a.txt", b"1")
    files.clear()
    assert not has(files, key)
