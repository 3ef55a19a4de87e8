"""What the routes work with: one value, made when the server starts."""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Annotated, TypeVar, cast

from fastapi import Depends, Request
from starlette.requests import ClientDisconnect

from polyhead.server.batcher import Batcher
from polyhead.server.metrics import Metrics
from polyhead.server.pool import ModelDirectory, ModelPool
from polyhead.server.problems import Problem
from polyhead.server.settings import ServerConfig
from polyhead.server.traces import TraceStore

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

    @classmethod
    def start(cls, models: Sequence[ModelDirectory], config: ServerConfig) -> "Services":
        """Starts a thread for each model; no model is loaded yet."""
        metrics = Metrics()
        pool = ModelPool(config.memory, metrics)
        batchers = {model.id: Batcher(model.id, partial(pool.use, model), config, metrics) for model in models}
        traces = TraceStore(config.trace_memory, config.trace_seconds)
        return cls(config, tuple(models), pool, batchers, traces, metrics)

    def close(self) -> None:
        """Finishes what is waiting and ends the threads."""
        for batcher in self.batchers.values():
            batcher.close()


async def _of(request: Request) -> Services:
    # A plain function would be called in a thread, and every request wait for the interpreter's lock once more.
    return cast("Services", request.app.state.services)


ServicesOf = Annotated[Services, Depends(_of)]
"""A route's parameter of this type is given the server's services."""


async def attend(request: Request, work: "Future[R]", services: Services) -> R:
    """Waits for an answer as long as its client does, and no longer than the time limit; then cancels the work.

    Raises Problem timeout, ClientDisconnect, and whatever the work raised.
    """
    answer = asyncio.wrap_future(work)
    leaving = asyncio.create_task(_left(request))
    try:
        done, _ = await asyncio.wait(
            {answer, leaving}, timeout=services.config.timeout, return_when=asyncio.FIRST_COMPLETED
        )
        if answer in done:
            return answer.result()
        if leaving in done:
            raise ClientDisconnect
        raise Problem("timeout", f"no answer within {services.config.timeout:g} s; send less text or try again later")
    finally:
        leaving.cancel()
        answer.cancel()
        work.cancel()  # at once: what asyncio has wrapped hears of it only later


async def _left(request: Request) -> None:
    """Returns when the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
