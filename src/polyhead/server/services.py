"""What the routes work with: one value, made when the server starts."""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Annotated, TypeVar, cast

from fastapi import Depends, Request
from starlette.requests import ClientDisconnect

from polyhead.server.batcher import Batcher
from polyhead.server.detection import Detector
from polyhead.server.file_store import FileStore, limits_of_files
from polyhead.server.file_translation import FileFormats
from polyhead.server.known_files import KNOWN_FILES
from polyhead.server.metrics import Metrics
from polyhead.server.pool import ModelDirectory, ModelPool
from polyhead.server.problems import Problem
from polyhead.server.settings import ServerConfig
from polyhead.server.shared import Shared
from polyhead.server.shared_shelf import SharedShelf
from polyhead.server.shelf import Limits, MemoryShelf
from polyhead.server.suggestions import SuggestionFile
from polyhead.server.traces import TraceOf, TraceStore

R = TypeVar("R")


@dataclass(frozen=True)
class Services:
    """The models and everything around them."""

    config: ServerConfig
    models: tuple[ModelDirectory, ...]
    pool: ModelPool
    batchers: Mapping[str, Batcher]
    traces: TraceStore
    metrics: Metrics
    formats: FileFormats
    files: FileStore
    workers: Executor
    """The threads that files are translated in."""
    suggestions: SuggestionFile | None
    detector: Detector

    @classmethod
    def start(
        cls,
        models: Sequence[ModelDirectory],
        config: ServerConfig,
        formats: FileFormats = KNOWN_FILES,
        shared: Shared | None = None,
    ) -> "Services":
        """Starts a thread for each model; no model is loaded yet.

        formats: the files that can be translated
        shared: what all workers of the server have together; None: this process is alone
        Raises PolyheadError where the file of suggestions can't be written, ModelError for damaged n-grams.
        """
        detector = Detector(models)
        suggestions = SuggestionFile(config.suggestions, config.max_suggestions) if config.suggestions else None
        metrics = Metrics(shared.metrics if shared else None)
        pool = ModelPool(config.memory, metrics, shared.packed if shared else None)
        batchers = {model.id: Batcher(model.id, partial(pool.use, model), config, metrics) for model in models}
        limits = Limits(config.trace_memory, config.trace_seconds)
        looked_at = SharedShelf[TraceOf](shared.traces, limits) if shared else MemoryShelf[TraceOf](limits)
        traces = TraceStore(config.trace_seconds, looked_at)
        files = FileStore(config, SharedShelf(shared.files, limits_of_files(config)) if shared else None)
        workers = ThreadPoolExecutor(config.max_files_at_once, "file")
        kept = formats, files, workers, suggestions, detector
        return cls(config, tuple(models), pool, batchers, traces, metrics, *kept)

    def close(self) -> None:
        """Finishes what is waiting, ends the threads, and forgets all files."""
        for batcher in self.batchers.values():
            batcher.close()
        self.workers.shutdown()
        self.files.clear()
        if self.suggestions is not None:
            self.suggestions.close()


async def _of(request: Request) -> Services:
    # A plain function would be called in a thread, and every request wait for the interpreter's lock once more.
    return cast("Services", request.app.state.services)


ServicesOf = Annotated[Services, Depends(_of)]
"""A route's parameter of this type is given the server's services."""


async def attend(request: Request, work: "Future[R]", services: Services, seconds: float | None = None) -> R:
    """Waits for an answer as long as its client does, and no longer than the time limit; then cancels the work.

    seconds: the time limit; None: the server's own for answers

    Raises Problem timeout, ClientDisconnect, and whatever the work raised.
    """
    limit = services.config.timeout if seconds is None else seconds
    answer = asyncio.wrap_future(work)
    leaving = asyncio.create_task(_left(request))
    try:
        done, _ = await asyncio.wait({answer, leaving}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        if answer in done:
            return answer.result()
        if leaving in done:
            raise ClientDisconnect
        raise Problem("timeout", f"no answer within {limit:g} s; send less text or try again later")
    finally:
        leaving.cancel()
        answer.cancel()
        work.cancel()  # at once: the cancelled `answer` would pass it on only later


async def _left(request: Request) -> None:
    """Returns when the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
