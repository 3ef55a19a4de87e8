"""Threads that share the work of one: a lone sentence has all cores, where its products have many panels.

A kernel's work is a function and a count: function(member, first, last, given) does the numbers first … last - 1, and
what is done first does not matter. The team's threads talk through a board: an array in memory that they share, to
which the thread that leads writes each job, and which the helpers watch all the time. Each member does its share of a
job, always the same one, so that the weights of a share stay in one core's cache. When the leader is through with its
own share, it also does every share that its helper has not begun: nobody waits for a thread that the system keeps from
running.
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
"""Memory that a team's threads share: the leading thread writes each job to it, and the helpers watch it."""
Task = tuple[int, int]
"""What `atomics.task` makes: by these two numbers any thread can call a kernel."""
LINE = 8
"""Numbers of the board in a line of the caches: what different threads change is in different lines."""
JOB, TASK, MEMBERS = 0, 1, LINE
"""Indices of a board. At JOB is the job's number, which is negative at the end; at TASK are the task's two numbers and
its count. From MEMBERS on each member has a line: the last job of which somebody has taken the member's share, and the
last job of which the member has done its share."""
MOST = 4
"""How many members a team has at most: each further one gains less, and the leader waits for the last to finish."""
PATIENCE = 2_000_000
"""After so many looks at a board without a new job a helper ends: 25 ms or more, by how long `pause` takes."""
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
    """Takes a member's share of a job, which can be taken once. Returns whether the calling thread has got it."""
    return atomics.swap(_place(board, MEMBERS + LINE * member), job - 1, job) == job - 1


@kernel
def lead(board: Board, task: Task, count: int) -> None:
    """Does a task's numbers 0 … count - 1 as the leading thread, together with the helpers that watch the board."""
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
    """Does a helper's share of each job on the board, until a job's number is negative or none comes for long."""
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
    """Whether a board may have helpers beside the leading thread."""
    return board.shape[0] > 0


@kernel
def members(board: Board) -> int:
    """How many threads a board has places for, the leading one among them."""
    return max(1, (board.shape[0] - MEMBERS) // LINE)


def shared(function: Callable[[int, int, int, Any], None]) -> Callable[[Board, int, Any], None]:
    """A kernel, function(member, first, last, given) → (board, count, given) ↦ the board's team does all its numbers.

    It is for kernels to call, which keep what is given until all is done. The function is not passed as an argument,
    as Numba's cache refuses kernels that pass one.
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
    """A board and its helpers, which start when somebody first asks for the board."""

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
    """Within the block a kernel of this thread may use `size` threads, this one included. Helpers start when needed.

    A process has one team at a time: a thread that asks for a second one works alone.
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
    """The board of this thread's team, or one without helpers. Calling this also starts the team's helpers."""
    return ALONE if _leader.team is None else _leader.team.board()


def board_in_use() -> Board:
    """The board of this thread's team if its helpers have been started already, else a board without helpers.

    It is for code that may follow a computation by other means, which must not start helpers that only watch.
    """
    return board() if _leader.team is not None and _leader.team.called else ALONE
