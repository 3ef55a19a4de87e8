"""Several processes of a test that train together, as a launcher would start them: copies of the test's own process."""

import faulthandler
import gc
import os
import pickle
import signal
import socket
import time
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import torch.distributed as dist

from polyhead.training.place import Place


class Raised(NamedTuple):
    """The result of a work that ended with an error."""

    kind: type[BaseException]
    message: str


LONGEST = 60.0
"""Seconds after which processes that still run are ended, and the test fails."""


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def launchers_store() -> Generator[int]:
    """Within the block there is a store as a launcher runs it, in a process of its own, at the port that is given.

    The store answers in a thread. A copy of a process that has it could wait for ever for a lock that the thread held.
    """
    port = free_port()

    def keep() -> None:
        store = dist.TCPStore("127.0.0.1", port, is_master=True, wait_for_workers=False)
        time.sleep(2 * LONGEST)
        del store

    with TemporaryDirectory() as folder, started([keep], Path(folder)):
        until = time.monotonic() + LONGEST
        while not _listens(port):
            assert time.monotonic() < until, "a store doesn't begin"
            time.sleep(0.005)
        yield port


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def places(size: int) -> list[Place]:
    """The places of processes on this machine that find each other without a launcher."""
    port = free_port()
    return [Place(rank, size, rank, size, "127.0.0.1", port, 0, False) for rank in range(size)]


def together(size: int, work: Callable[[Any], Any]) -> list[Any]:
    """What `work` gives in each of so many processes, which it gets as a world; an error is its result.

    Fails where a process doesn't end within a minute.
    """
    from polyhead.training.process_group import ProcessGroup

    def run(place: Place) -> Any:
        world = ProcessGroup(place)
        result = work(world)
        world.close()
        return result

    with (
        TemporaryDirectory() as folder,
        started([lambda p=place: run(p) for place in places(size)], Path(folder)) as all_,
    ):
        return [outcome() for outcome in all_]


@contextmanager
def started(works: list[Callable[[], Any]], folder: Path) -> Generator[list[Callable[[], Any]]]:
    """Begins each work in a process of its own → what waits for each and gives its result, or its error."""
    children: list[int] = []
    gc.freeze()  # a child that collected what this process holds could wait for threads that it doesn't have
    for number, work in enumerate(works):
        child = os.fork()
        if child == 0:
            _answer(work, folder / str(number))
        children.append(child)
    until = time.monotonic() + LONGEST
    try:
        yield [lambda n=number, c=child: _result(c, folder / str(n), until) for number, child in enumerate(children)]
    finally:
        gc.unfreeze()
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            except (ProcessLookupError, ChildProcessError):
                pass


def _answer(work: Callable[[], Any], path: Path) -> None:
    """Writes the result of a work, and ends the process."""
    try:
        os.dup2(os.open(f"{path}.err", os.O_WRONLY | os.O_CREAT), 2)
        faulthandler.dump_traceback_later(LONGEST - 5, file=2)
        try:
            result = work()
        except BaseException as error:
            traceback.print_exc()
            result = Raised(type(error), str(error))
        path.write_bytes(pickle.dumps(result))
    finally:
        os._exit(0)


def _result(child: int, path: Path, until: float) -> Any:
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        assert time.monotonic() < until, f"a process doesn't end: {_errors(path)}"
        time.sleep(0.005)
    assert path.exists(), f"a process was killed: {_errors(path)}"
    return pickle.loads(path.read_bytes())


def _errors(path: Path) -> str:
    """What the process with this path of its result has written on its standard error."""
    return Path(f"{path}.err").read_text()
