"""Signals that end a command: cleanly, with one line."""

import signal
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

ENDING = ("SIGTERM", "SIGHUP", "SIGBREAK")
"""A manager of services, a terminal that is closed, Ctrl-Break on Windows; no system has all of them."""

_SAME = 1.0
"""Seconds in which more signals are the same request: some systems send two, and cleaning up must come to its end."""


class Ended(BaseException):
    """A signal came; whoever has something to put away does so while this passes."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(f"ended by {signal.Signals(number).name}")

    @property
    def status(self) -> int:
        """The exit status, as shells count it."""
        return 128 + self.number


@contextmanager
def raised_as_exceptions() -> Generator[None]:
    """Within the block the signals raise Ended in the main thread. Those that are ignored, as under nohup, stay so."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals
        return
    last: list[float] = []

    def end(number: int, frame: FrameType | None) -> None:
        if last and time.monotonic() - last[-1] < _SAME:
            return
        last.append(time.monotonic())
        raise Ended(number)

    known = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in known}
    heeded = [number for number, handler in before.items() if handler is signal.SIG_DFL]
    for number in heeded:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in heeded:
            signal.signal(number, before[number])
