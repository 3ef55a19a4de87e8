"""Where several processes end for one reason, only one of them says it."""

import signal
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

from polyhead.cli.signals import ENDING
from polyhead.errors import PolyheadError
from polyhead.training.place import Place

WAIT = timedelta(seconds=10)
"""How long a process waits for the store to answer, and for the one that speaks to have spoken."""
COURTESY = 0.5
"""Seconds that the other processes wait before they ask, so that process 0 can ask first."""
ASKED, SAID = "polyhead/asked-to-speak", "polyhead/said"
"""The keys of the store under which processes ask to speak, and under which the first one notes that it has spoken."""


@contextmanager
def one_voice() -> Generator[bool]:
    """Whether this process is to say why the command ends: of those launched together it is the first one that asks.

    It says so within the block. The others wait until it is said, as a launcher ends all processes once one has ended.
    The launcher's signals are ignored meanwhile. Process 0 knows most, so the others let it ask first. A command that
    was started by itself speaks, and so does a process to which the common store doesn't answer.
    """
    place = _place()
    if place is None or place.size == 1:
        yield True
        return
    with _undisturbed():
        if place.rank > 0:
            time.sleep(COURTESY)
        store, start, first = *_store(place), True
        with suppress(RuntimeError):
            first = store is None or store.add(f"{ASKED}/{start}", 1) == 1
        yield first
        with suppress(RuntimeError):
            if store is not None and first:
                store.set(f"{SAID}/{start}", "yes")
            elif store is not None:
                store.wait([f"{SAID}/{start}"], WAIT)


def _place() -> Place | None:
    try:
        return Place.of()
    except PolyheadError:
        return None


def _store(place: Place) -> tuple[Any, str]:
    """The store of the processes launched together, None if it can't be reached, and the name of this start."""
    number = str(place.attempt)
    try:
        from polyhead.training.process_group import store_of
        from polyhead.training.rendezvous import newest_name

        store = store_of(place, WAIT)
        return store, newest_name(store) or number
    except (RuntimeError, ImportError):
        return None, number


@contextmanager
def _undisturbed() -> Generator[None]:
    """Within the block the signals that end a command are ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals
        return
    known = [getattr(signal, name) for name in ("SIGINT", *ENDING) if hasattr(signal, name)]
    before = {number: signal.signal(number, signal.SIG_IGN) for number in known}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
