"""How the processes of one start find each other in a store that still holds what earlier starts have left.

After a failure torchrun starts all processes again, with the same store, and doesn't tell them reliably how often it
has done so: two machines may have counted differently.
"""

import time
from datetime import timedelta
from secrets import token_hex

import torch.distributed as dist

# PyTorch documents its stores as torch.distributed's, but its types say otherwise:
# pyright: reportPrivateImportUsage=false

NAME = "polyhead/name"
"""The key of the name that process 0 of the newest start has chosen."""
LOOK = timedelta(seconds=1)
"""How long a process waits for process 0 before it looks whether process 0 has been started anew meanwhile."""


def rendezvous(store: dist.TCPStore, rank: int, size: int, patience: timedelta) -> str:
    """A name that the processes of this start share with no other start.

    Raises RuntimeError where not all processes have come when the time of `patience` is over.
    """
    if rank == 0:
        name = token_hex(8)
        store.set(NAME, name)
        store.wait([_here(name, other) for other in range(1, size)], patience)
        store.set(_complete(name), "yes")
        return name
    end = time.monotonic() + patience.total_seconds()
    answered = None  # a name that is complete without this process's answer is of an earlier start
    while time.monotonic() < end:
        name = newest_name(store)
        if name is None or (name != answered and store.check([_complete(name)])):
            time.sleep(LOOK.total_seconds() / 20)
            continue
        store.set(_here(name, rank), "yes")
        answered = name
        if _is_complete_soon(store, name):
            return name
    raise RuntimeError("process 0 did not come")


def newest_name(store: dist.TCPStore) -> str | None:
    """The name of the newest start, if there has been any."""
    return store.get(NAME).decode() if store.check([NAME]) else None


def _is_complete_soon(store: dist.TCPStore, name: str) -> bool:
    try:
        store.wait([_complete(name)], LOOK)
    except RuntimeError:
        return False
    return True


def _here(name: str, rank: int) -> str:
    return f"polyhead/{name}/here/{rank}"


def _complete(name: str) -> str:
    return f"polyhead/{name}/complete"
