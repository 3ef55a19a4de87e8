"""Where a command finds out whether it trains alone or as one of several processes."""

from collections.abc import Generator
from contextlib import contextmanager

from polyhead.cores import divide_cores
from polyhead.training.place import Place
from polyhead.training.world import ALONE, World


@contextmanager
def joined() -> Generator[World]:
    """Within the block the processes that a launcher, such as torchrun, has started are one world.

    By default the cores of a machine are divided among the processes on it. A block that ends without an error waits
    until it has ended in all processes. Raises PolyheadError where the environment is wrong, or where the processes do
    not find each other.
    """
    place = Place.of()
    if place is None:
        yield ALONE
        return
    from polyhead.training.process_group import ProcessGroup  # torch.distributed is for those alone who need it

    divide_cores(place.local_size)
    world = ProcessGroup(place)
    yield world
    world.close()
