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
def raised_as_exceptions() -> Generator[list[BaseException]]:
    """Within the block the signals raise Ended in the main thread. Those that are ignored, as under nohup, stay so.

    What was raised, for Ctrl-C too, is in the list that the block gets: code in C that is interrupted while it calls
    Python may put an error of its own in its place.
    """
    raised: list[BaseException] = []
    if threading.current_thread() is not threading.main_thread():
        yield raised  # only the main thread may handle signals
        return
    last: list[float] = []

    def end(number: int, frame: FrameType | None) -> None:
        if last and time.monotonic() - last[-1] < _SAME:
            return
        last.append(time.monotonic())
        raised.append(Ended(number))
        raise raised[-1]

    def interrupt(number: int, frame: FrameType | None) -> None:
        raised.append(KeyboardInterrupt())
        raise raised[-1]

    known = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in known}
    heeded = [number for number, handler in before.items() if handler is signal.SIG_DFL]
    for number in heeded:
        signal.signal(number, end)
    before[signal.SIGINT] = signal.getsignal(signal.SIGINT)
    if before[signal.SIGINT] is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
        heeded.append(signal.SIGINT)
    try:
        yield raised
    finally:
        for number in heeded:
            signal.signal(number, before[number])
