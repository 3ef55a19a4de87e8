"""Batches decoded side by side, each by a thread with one CPU core.

Two threads with a batch each finish sooner than two that share every product of one batch: a step's products are short,
and each would end in a barrier. The kernels and PyTorch release the interpreter's lock while they compute.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from polyhead.batch import cut_by_length
from polyhead.cores import cores, cores_an_operation, has_torch, use_cores
from polyhead.kernels.threads.team import team

Task = TypeVar("Task")
Result = TypeVar("Result")

SHARES = 4
"""The fewest batches to cut for each thread, so that no thread waits long for another's last batch."""
SMALLEST = 256
"""Tokens of source below which a batch is too small to be cut for the sake of other threads."""


def side_by_side(function: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
    """The results in the order of the tasks, from as many threads as there are cores. A task's error is raised here.

    While tasks are underway each operation has one core. Tasks not begun when the iteration ends are left undone.
    """
    count = cores()
    if count == 1 or len(tasks) < 2:
        with team(count):
            yield from map(function, tasks)
        return
    # Asked before `cores_an_operation` asks it, too: if PyTorch is loaded in between, what is changed is also restored.
    alone = partial(use_cores, 1) if has_torch() else None
    pool = ThreadPoolExecutor(min(count, len(tasks)), "polyhead-decoding", alone)
    with cores_an_operation(1):
        try:
            yield from pool.map(function, tasks)
        finally:
            pool.shutdown()  # `map` has cancelled by now what was not begun


def batches_for_workers(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Row numbers in batches of like length, longest first, at most `budget` padded tokens each.

    Where several threads will share them the batches are small enough that each thread gets some.
    """
    if len(lengths) == 1:  # nothing to cut, and asking for the cores is some 0.7 % of a short sentence's time
        return [[0]]
    count = cores()
    share = -(-sum(lengths) // (SHARES * count)) if count > 1 else budget
    return list(cut_by_length(lengths, max(1, min(budget, max(share, SMALLEST)))))
