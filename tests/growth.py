"""How the work that something takes grows with what it is given, whatever the machine and whatever else runs on it."""

import gc
import time
from collections.abc import Callable

_TIMES = 4
_TRIES = 5


def grows_like_its_input(run: Callable[[int], object], few: int) -> bool:
    """Whether four times as much takes less than eight times the work: in proportion it is four, as a square sixteen.

    run: does the work for as many parts as it is given; few: parts that take some milliseconds. What is compared is
    the processor's time alone, and one try of several is enough.
    """
    return any(_seconds(run, _TIMES * few) < 2 * _TIMES * _seconds(run, few) for _ in range(_TRIES))


def _seconds(run: Callable[[int], object], parts: int) -> float:
    gc.collect()
    gc.disable()  # it looks through all that other tests have left, too
    try:
        began = time.process_time()
        run(parts)
        return time.process_time() - began
    finally:
        gc.enable()
