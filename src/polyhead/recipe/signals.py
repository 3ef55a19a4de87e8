"""Ctrl-C and SIGTERM ask training to stop after the update under way; a second Ctrl-C stops it at once."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from polyhead.training.loop import Interrupt


@contextmanager
def stop_on_signals(interrupt: Interrupt) -> Generator[None]:
    """Within the block the signals set `interrupt`; afterwards they do what they did before."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals
        return

    def ask(number: int, frame: FrameType | None) -> None:
        if interrupt.requested and number == signal.SIGINT:
            raise KeyboardInterrupt
        interrupt.requested = True

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
