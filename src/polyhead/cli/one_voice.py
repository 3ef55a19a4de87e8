"""Of several processes that end for one reason, one says it."""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

from polyhead.errors import PolyheadError

WAIT = timedelta(seconds=10)
"""How long a process waits for the store to answer, and for the one that speaks to have spoken."""
ASKED, SAID = "polyhead/asked-to-speak", "polyhead/said"
"""The keys of the store under which processes ask to speak, and under which the first one notes that it has spoken."""


@contextmanager
def one_voice() -> Generator[bool]:
    """Whether this process is to say why the command ends: of those launched together it is the first one that asks.

    Within the block it says it. The others wait until it is said, as a launcher ends all processes once one has ended.
    A command that was started by itself speaks, and so does a process to which the common store doesn't answer.
    """
    found = _store()
    if found is None:
        yield True
        return
    store, attempt = found
    first = True
    with suppress(RuntimeError):
        first = store.add(f"{ASKED}/{attempt}", 1) == 1
    yield first
    with suppress(RuntimeError):
        if first:
            store.set(f"{SAID}/{attempt}", "yes")
        else:
            store.wait([f"{SAID}/{attempt}"], WAIT)


def _store() -> tuple[Any, int] | None:
    """The store of the processes that were launched together, and how often they were restarted."""
    from polyhead.training.place import Place

    try:
        place = Place.of()
        if place is None or place.size == 1:
            return None
        from polyhead.training.several import store_of

        return store_of(place, WAIT), place.attempt
    except (PolyheadError, RuntimeError, ImportError):
        return None
