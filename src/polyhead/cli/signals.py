"""Signals that end a command: cleanly, with one line."""

import _thread
import signal
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

ENDING = ("SIGTERM", "SIGHUP", "SIGBREAK")
"""Signals of a service manager, of a closed terminal, and of Ctrl-Break on Windows; no system has all of them."""

_SAME = 1.0
"""Seconds in which more signals are the same request: some systems send two, and cleaning up must come to its end."""

_AGAIN = 0.02
"""Seconds after which a signal whose exception Python dropped is sent once more."""


class Ended(BaseException):
    """Raised when a signal ends the command; code that has something to clean up does so as the exception passes."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(f"ended by {signal.Signals(number).name}")

    @property
    def status(self) -> int:
        """The exit status, as shells count it."""
        return 128 + self.number


@contextmanager
def raised_as_exceptions() -> Generator[list[BaseException]]:
    """Within the block the signals raise Ended in the main thread. Ignored ones, as under nohup, stay ignored.

    What was raised, for Ctrl-C too, is in the list that the block gets: code in C that is interrupted while it calls
    Python may put an error of its own in its place. Where Python drops an exception, as from a finalizer or a function
    that LLVM calls, the signal comes once more a moment later.
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
        with _sent_again_where_dropped(raised, last):
            yield raised
    finally:
        for number in heeded:
            signal.signal(number, before[number])


@contextmanager
def _sent_again_where_dropped(raised: list[BaseException], last: list[float]) -> Generator[None]:
    """Within the block a signal comes once more if Python dropped the exception that was raised for it.

    last: when signals came; cleared for a signal that is sent again, which would not be heeded so soon otherwise
    """
    hook, timers = sys.unraisablehook, list[threading.Timer]()

    def look(dropped: "sys.UnraisableHookArgs") -> None:
        error = dropped.exc_value
        if not any(error is each for each in raised):
            hook(dropped)
            return
        last.clear()
        number = signal.Signals(error.number) if isinstance(error, Ended) else signal.SIGINT
        timers.append(threading.Timer(_AGAIN, _send_to_main_thread, [number]))
        timers[-1].daemon = True
        timers[-1].start()

    sys.unraisablehook = look
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for timer in timers:
            timer.cancel()


def _send_to_main_thread(number: signal.Signals) -> None:
    """Sends a signal to the main thread, where it also ends a wait, if the system can do that."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        _thread.interrupt_main(number)
