"""Several shares of a batch differentiated at the same time, each by a thread with CPU cores of its own.

A small model's operations are too short to be worth cutting up among cores: two threads that each take half the batch
through the whole model finish sooner than one that shares every single operation with a second core.
"""

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

import numpy as np
import torch

from polyhead.cores import cores_an_operation, meanwhile

SWITCH = 2e-4
"""Seconds that a thread may keep the interpreter's lock while another waits; Python's 5 ms are a dozen operations."""

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class Workers:
    """`count` threads, or none but the caller's own where that is 1."""

    def __init__(self, count: int = 1) -> None:
        self.count = count
        self.cores = max(1, torch.get_num_threads() // count)
        """How many cores each thread has."""
        start = torch.set_num_threads, (self.cores,)
        self._pool = ThreadPoolExecutor(count, "polyhead-worker", *start) if count > 1 else None

    def map(self, function: Callable[[Argument], Result], arguments: Sequence[Argument]) -> list[Result]:
        """The results in the order of the arguments. An error in a thread is raised here, once all threads are done."""
        if self._pool is None or len(arguments) == 1:
            return [function(argument) for argument in arguments]
        with cores_an_operation(self.cores), meanwhile(sys.getswitchinterval, sys.setswitchinterval, SWITCH):
            futures = [self._pool.submit(function, argument) for argument in arguments]
            wait(futures)
            return [future.result() for future in futures]

    def close(self) -> None:
        """Ends the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def seed_of(*numbers: int) -> int:
    """A seed that follows from numbers such as (run, update, share). Different numbers give unrelated seeds."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0]) >> 1
