"""Threads that share the work of one: a lone sentence has all cores, where its products have many panels.

A kernel's work is a function and a count: function(member, first, last, given) does the numbers first … last - 1, and
what is done first does not matter. The thread that leads writes on a board what there is to do, and does its share;
helpers, who look at the board all the time, do theirs: always the same one, so that the weights of a share stay in one
core's cache. A share that its helper has not begun when the leader is through with its own, the leader does too:
nobody waits for a thread that the system keeps from running.
"""

import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays import aligned
from polyhead.kernels.arrays.unowned import unowned
from polyhead.kernels.compiler import WITHIN, overload
from polyhead.kernels.kernel import kernel
from polyhead.kernels.threads import atomics

Board = NDArray[np.int64]
Task = tuple[int, int]
"""What `atomics.task` makes: by these two numbers any thread can call a kernel."""
LINE = 8
"""Numbers in a line of the caches: what different threads change is in different ones."""
JOB, TASK, MEMBERS = 0, 1, LINE
"""Places on the board. At JOB is the job's number, which is negative at the end; at TASK are the task's two numbers and
its count. From MEMBERS on each member has a line: the last job whose share somebody has taken, and the last one whose
share the member has done."""
MOST = 4
"""Members at most: each further one gains less, and all that lead wait for the last."""
PATIENCE = 2_000_000
"""Looks at a board on which nothing happens after which a helper goes: 25 ms and more, as long as `pause` takes."""
ALONE: Board = np.zeros(0, np.int64)
"""The board of a thread without helpers."""


@kernel
def _place(board: Board, place: int) -> Any:
    return np.uintp(board.ctypes.data) + np.uintp(8 * place)


@kernel
def _share(board: Board, member: int, task: Task, count: int, by: int) -> None:
    size = members(board)
    first, last = member * count // size, (member + 1) * count // size
    if first < last:
        atomics.call(task, by, first, last)


@kernel
def _taken(board: Board, member: int, job: int) -> Any:
    """Whether the share of a member is now that of who asks: each can be had once."""
    return atomics.swap(_place(board, MEMBERS + LINE * member), job - 1, job) == job - 1


@kernel
def lead(board: Board, task: Task, count: int) -> None:
    """A task's numbers 0 … count - 1, with the helpers that are there."""
    job = board[JOB] + 1
    board[TASK], board[TASK + 1], board[TASK + 2] = task[0], task[1], count
    atomics.store(_place(board, JOB), job)
    _share(board, 0, task, count, 0)
    for member in range(1, members(board)):
        if _taken(board, member, job):
            _share(board, member, task, count, 0)
        else:
            while atomics.load(_place(board, MEMBERS + LINE * member + 1)) != job:
                pass


@kernel
def _help(board: Board, member: int) -> None:
    """Until the job's number is negative, or nothing happens for long."""
    done, looks = 0, 0
    while looks < PATIENCE:
        job = atomics.load(_place(board, JOB))
        if job < 0:
            return
        if job != done and _taken(board, member, job):  # from here on the leader waits
            _share(board, member, (board[TASK], board[TASK + 1]), board[TASK + 2], member)
            atomics.store(_place(board, MEMBERS + LINE * member + 1), job)
            looks = 0
        else:
            looks += 1
            atomics.pause()
        done = job


@kernel
def _dismiss(board: Board) -> None:
    atomics.store(_place(board, JOB), -1)


@kernel
def has_helpers(board: Board) -> bool:
    """Whether there may be anyone but the leader."""
    return board.shape[0] > 0


@kernel
def members(board: Board) -> int:
    """How many threads there may be."""
    return max(1, (board.shape[0] - MEMBERS) // LINE)


def shared(function: Callable[[int, int, int, Any], None]) -> Callable[[Board, int, Any], None]:
    """A kernel, function(member, first, last, given) → (board, count, given) ↦ all of its numbers by the board's team.

    For kernels to call, and they keep what is given until all is done. The function is no argument of it, as Numba's
    cache refuses kernels that pass one.
    """
    task = atomics.task(function)

    def all_of_it(board: Board, count: int, given: Any) -> None:
        those = unowned(given)
        if has_helpers(board):
            shares = task(those)
            lead(board, shares, count)
            if atomics.has_failed(shares):
                raise RuntimeError("a thread has raised an error in its share of a kernel's work")
        else:
            function(0, 0, count, those)

    def found(board: Any, count: Any, given: Any) -> Any:
        return all_of_it

    def called(board: Board, count: int, given: Any) -> None:
        raise TypeError("this is for kernels to call")

    overload(called, strict=False, jit_options=WITHIN)(found)
    return called


@cache
def _helpers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MOST - 1, "polyhead-helper")


class _Team:
    """A board, and the helpers who look at it as soon as there is something for them."""

    def __init__(self, size: int) -> None:
        self._board: Board = aligned.zeros((MEMBERS + LINE * size,), np.int64)
        self.called = False

    def board(self) -> Board:
        if not self.called:
            self.called = True
            for member in range(1, members(self._board)):
                _helpers().submit(_help, self._board, member)
        return self._board

    def dismiss(self) -> None:
        if self.called:
            _dismiss(self._board)


class _Leader(threading.local):
    """The team of each thread that leads one."""

    team: _Team | None = None


_leader = _Leader()
_only = threading.Lock()


@contextmanager
def team(size: int) -> Generator[None]:
    """Within the block this thread may have so many cores for a kernel, itself included; they come when first needed.

    There is one team at a time: who comes second works alone.
    """
    if size < 2 or not _only.acquire(blocking=False):
        yield
        return
    _leader.team = mine = _Team(min(size, MOST))
    try:
        yield
    finally:
        mine.dismiss()
        _leader.team = None
        _only.release()


def board() -> Board:
    """That of this thread's team, whose helpers are called."""
    return ALONE if _leader.team is None else _leader.team.board()


def board_in_use() -> Board:
    """The same if helpers have been called already: who computes by other means has no use for their looking on."""
    return board() if _leader.team is not None and _leader.team.called else ALONE
