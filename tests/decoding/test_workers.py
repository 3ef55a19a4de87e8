"""Batches in threads of one core each."""

import os
import sys
import threading
import time
from collections.abc import Generator, Iterator

import pytest
import torch

from polyhead.decoding.workers import SMALLEST, batches_for_workers, side_by_side


@pytest.fixture
def two_cores() -> Iterator[None]:
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(1)


def test_results_come_in_order_from_several_threads_of_one_core(two_cores: None) -> None:
    meet = threading.Barrier(2, timeout=20)

    def task(number: int) -> tuple[int, int, str]:
        if number < 2:
            meet.wait()
        return number, torch.get_num_threads(), threading.current_thread().name

    results = list(side_by_side(task, range(6)))
    assert [number for number, _, _ in results] == list(range(6))
    assert {cores for _, cores, _ in results} == {1}
    assert len({name for _, _, name in results}) == 2
    assert torch.get_num_threads() == 2


def test_without_pytorch_there_are_as_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch")
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    meet = threading.Barrier(2, timeout=20)

    def task(number: int) -> tuple[int, str]:
        if number < 2:
            meet.wait()
        return number, threading.current_thread().name

    results = list(side_by_side(task, range(6)))
    assert [number for number, _ in results] == list(range(6))
    assert len({name for _, name in results}) == 2
    assert len(batches_for_workers([10] * 1000, 4096)) >= 8
    assert "torch" not in sys.modules
    assert os.environ["OMP_NUM_THREADS"] == "2"


def test_an_error_is_raised_here_and_the_cores_come_back(two_cores: None) -> None:
    def task(number: int) -> int:
        return 1 // number

    results = side_by_side(task, [1, 0, 1, 1, 1])
    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        list(results)
    assert torch.get_num_threads() == 2


def test_what_was_not_begun_is_left_undone(two_cores: None) -> None:
    begun: list[int] = []

    def task(number: int) -> None:
        begun.append(number)
        if number > 0:
            time.sleep(0.05)  # so that all of them take 12 seconds

    results = side_by_side(task, range(500))
    assert isinstance(results, Generator)
    next(results)
    results.close()
    assert len(begun) < 500
    assert torch.get_num_threads() == 2


def test_one_core_or_one_task_needs_no_thread(two_cores: None) -> None:
    names = list(side_by_side(lambda _: threading.current_thread().name, [0]))
    torch.set_num_threads(1)
    names += side_by_side(lambda _: threading.current_thread().name, [0, 1])
    assert set(names) == {threading.current_thread().name}


def test_every_thread_gets_some_batches(two_cores: None) -> None:
    lengths = [10] * 1000
    chunks = batches_for_workers(lengths, 4096)
    assert len(chunks) >= 8
    assert sorted(row for chunk in chunks for row in chunk) == list(range(1000))
    assert len(batches_for_workers([10] * (SMALLEST // 10), 4096)) == 1
    assert max(len(chunk) for chunk in batches_for_workers(lengths, 50)) == 5
    torch.set_num_threads(1)
    assert len(batches_for_workers(lengths, 4096)) == 3
