"""Numbers that threads share, and kernels that are called by their address."""

import threading
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.threads import atomics

Numbers = NDArray[np.int64]
TIMES, THREADS = 20_000, 4


@kernel
def _load(x: Numbers) -> int:
    return atomics.load(x.ctypes.data)


@kernel
def _store(x: Numbers, number: int) -> None:
    atomics.store(x.ctypes.data, number)


@kernel
def _swap(x: Numbers, old: int, new: int) -> int:
    return atomics.swap(x.ctypes.data, old, new)


@kernel
def _add_one(x: Numbers, times: int) -> None:
    """Adds 1 so many times, again wherever another thread was faster."""
    for _ in range(times):
        before = atomics.load(x.ctypes.data)
        while True:
            found = atomics.swap(x.ctypes.data, before, before + 1)
            if found == before:
                break
            before = found
            atomics.pause()


@kernel
def _note(member: int, first: int, last: int, given: Any) -> None:
    out, wrong = given
    for number in range(first, last):
        if number == wrong:
            raise ValueError("a number that is not wanted")
        out[number] = 10 * number + member


_task = atomics.task(_note)


@kernel
def _call(out: Numbers, wrong: int) -> bool:
    task = _task((out, wrong))
    atomics.call(task, 3, 1, 3)
    atomics.call(task, 4, 4, 6)
    return atomics.has_failed(task) != 0


def test_a_number_is_found_as_it_was_stored() -> None:
    x = np.array([7, 8])
    _store(x, -(2**62))
    assert (_load(x), x.tolist()) == (-(2**62), [-(2**62), 8])


@pytest.mark.parametrize(("old", "left"), [(7, 9), (6, 7)], ids=["as expected", "another"])
def test_a_number_is_changed_only_if_it_is_the_one_expected(old: int, left: int) -> None:
    x = np.array([7, 8])
    assert _swap(x, old, 9) == 7
    assert x.tolist() == [left, 8]


def test_no_thread_comes_between() -> None:
    x = np.zeros(1, np.int64)
    _add_one(x, 0)  # compiled now
    threads = [threading.Thread(target=_add_one, args=(x, TIMES)) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x.tolist() == [THREADS * TIMES]


def test_a_kernel_is_called_by_its_address() -> None:
    out = np.zeros(7, np.int64)
    assert not _call(out, -1)
    assert out.tolist() == [0, 13, 23, 0, 44, 54, 0]


def test_that_a_call_has_failed_is_known_and_the_others_are_made() -> None:
    out = np.zeros(7, np.int64)
    assert _call(out, 2)
    assert out.tolist() == [0, 13, 0, 0, 44, 54, 0]
