"""Signals ask training to stop after the update under way; a second Ctrl-C stops it at once.

They are Ctrl-C, SIGTERM, the hang-up of a terminal (SIGHUP) and, on Windows, Ctrl-Break.
"""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from polyhead.training.interrupt import Interrupt

NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""The signals that ask training to stop; no system has all of them."""


@contextmanager
def stop_on_signals(interrupt: Interrupt) -> Generator[None]:
    """Within the block the signals set `interrupt`; afterwards they do what they did before.

    Those that are ignored, as a hang-up is under nohup, stay ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals
        return

    def ask(number: int, frame: FrameType | None) -> None:
        if interrupt.requested and number == signal.SIGINT:
            earlier = before[number]
            if callable(earlier):
                earlier(number, frame)  # it may note the signal, as the command line's does
            raise KeyboardInterrupt
        interrupt.request()

    known = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    heeded = [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, ask) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
