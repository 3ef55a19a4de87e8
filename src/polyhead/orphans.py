"""A process that doesn't outlive the one that made it."""

import multiprocessing
import threading
from collections.abc import Callable
from multiprocessing.process import BaseProcess


def when_orphaned(end: Callable[[], None]) -> None:
    """Calls `end` in a thread of its own when the process that made this one ends, however that ends.

    To be called in a process that `multiprocessing` has made; in any other one nothing happens.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_wait, args=(parent, end), name="polyhead-parent", daemon=True).start()


def _wait(parent: BaseProcess, end: Callable[[], None]) -> None:
    parent.join()
    end()
