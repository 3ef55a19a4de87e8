"""Worker processes on this machine. One that dies is replaced, and what it had in hand is done again.

A pool of several processes breaks as a whole when one of them is killed. So each worker is a pool of one process, and a
thread of this process waits for it.
"""

import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress

from polyhead.bulk.batch_translator import BatchTranslator
from polyhead.bulk.shard import Outcome, Shard
from polyhead.bulk.work import work
from polyhead.orphans import when_orphaned

ATTEMPTS = 3
"""A shard on which so many workers died, one after the other, is given up."""

_SPAWN = multiprocessing.get_context("spawn")  # a fork would copy locks that other threads hold

Run = Callable[[Iterable[Shard]], Generator[Outcome]]
"""What translates shards: it gives the outcome of each, in any order, and asks for a shard when it can begin it."""


def in_processes(translator: BatchTranslator, count: int) -> Run:
    """A function that translates shards in `count` processes here, which end when its generator is closed."""

    def run(shards: Iterable[Shard]) -> Generator[Outcome]:
        waiting = _Waiting(shards)
        outcomes: queue.SimpleQueue[Outcome | BaseException | None] = queue.SimpleQueue()
        workers = [_Worker(translator) for _ in range(count)]
        threads = [threading.Thread(target=_attend, args=(worker, waiting, outcomes)) for worker in workers]
        try:
            for thread in threads:
                thread.start()
            left = count
            while left:
                match outcomes.get():
                    case None:
                        left -= 1
                    case Outcome() as outcome:
                        yield outcome
                    case error:
                        raise error
        finally:
            waiting.end()
            for worker in workers:
                worker.end()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()

    return run


class _Waiting:
    """Shards that nobody has begun, handed out one by one to whatever thread asks."""

    def __init__(self, shards: Iterable[Shard]) -> None:
        self._lock = threading.Lock()
        self._shards = iter(shards)
        self._ended = False

    def __iter__(self) -> Iterator[Shard]:
        return self

    def __next__(self) -> Shard:
        with self._lock:
            if self._ended:
                raise StopIteration
            return next(self._shards)

    def end(self) -> None:
        """Stops handing out shards."""
        with self._lock:
            self._ended = True


class _Worker:
    """One process that translates shards, made when it is needed and whenever the last one has died."""

    def __init__(self, translator: BatchTranslator) -> None:
        self._translator = translator
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._process: int | None = None
        self._ended = False

    def translate(self, shard: Shard) -> Outcome | None:
        """What became of a shard; None where the work was ended meanwhile."""
        for _ in range(ATTEMPTS):
            pool = self._begun()
            if pool is None:
                return None
            try:
                return pool.submit(_work, shard).result()
            except BrokenProcessPool:
                self._bury()
        if self._ended:
            return None
        reason = f"{ATTEMPTS} workers died while they translated it; where the memory was not enough, lower --workers"
        place = f"{shard.source}, from line {shard.before + 1} on" if shard.kind == "lines" else str(shard.source)
        return Outcome(shard, f"{place}: {reason}")

    def end(self) -> None:
        """Kills the process: what it is writing appears only when it is whole."""
        with self._lock:
            self._ended = True
            if self._process is not None:
                with suppress(OSError):  # it is gone already, for which Windows has an error of its own
                    os.kill(self._process, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)

    def close(self) -> None:
        """Lets the process go that has nothing more to do."""
        self._bury()

    def _begun(self) -> ProcessPoolExecutor | None:
        """The pool with its process; None once the work was ended."""
        if self._pool is None:
            pool = ProcessPoolExecutor(1, _SPAWN, _prepare, (self._translator,))
            self._pool = pool
            with suppress(BrokenProcessPool):
                process = pool.submit(os.getpid).result()
                with self._lock:
                    self._process = process
        with self._lock:
            if not self._ended:
                return self._pool
        self.end()
        return None

    def _bury(self) -> None:
        with self._lock:
            pool, self._pool, self._process = self._pool, None, None
        if pool is not None:
            pool.shutdown()


def _attend(worker: _Worker, waiting: _Waiting, outcomes: "queue.SimpleQueue[Outcome | BaseException | None]") -> None:
    """What a thread does: it gives its worker one shard after the other."""
    try:
        for shard in waiting:
            outcome = worker.translate(shard)
            if outcome is not None:
                outcomes.put(outcome)
    except BaseException as error:
        outcomes.put(error)
    finally:
        worker.close()
        outcomes.put(None)


_translator: BatchTranslator | None = None
"""The translator of a worker process; None in the process that starts the workers."""


def _prepare(translator: BatchTranslator) -> None:
    """What a worker process does first: it ends with the process that made it, and leaves Ctrl-C to that process."""
    global _translator
    _translator = translator
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    when_orphaned(lambda: os._exit(1))


def _work(shard: Shard) -> Outcome:
    assert _translator is not None
    return work(_translator, shard)
