"""`/api/translate/stream`: a translation as it comes about, as server-sent events.

First comes `meta`, with the model and the tokens of the text, then the events of `telling`, or `error` with a problem.
"""

import asyncio
import logging
import threading
from asyncio import to_thread
from collections.abc import AsyncGenerator
from concurrent.futures import Future
from typing import Any

from fastapi import APIRouter
from fastapi.sse import format_sse_event
from pydantic_core import to_json
from starlette.responses import StreamingResponse

from polyhead.server.batcher import Unwanted
from polyhead.server.body import JsonRoute
from polyhead.server.checks import check_not_blank, check_texts
from polyhead.server.choices import Asked, ModelName, TargetLanguage, Text
from polyhead.server.describe import model_info, token_info
from polyhead.server.directions import choose, tag
from polyhead.server.problems import Problem, describe, problem_of
from polyhead.server.routes.translate import Beams
from polyhead.server.services import Services, ServicesOf
from polyhead.server.telling import Telling

router = APIRouter(prefix="/api", tags=["translate"], route_class=JsonRoute)


class StreamRequest(Asked):
    """A text whose translation is sent step by step."""

    model: ModelName | None = None
    text: Text
    target: TargetLanguage | None = None
    beam_size: Beams | None = None


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


EVENT = {"type": "object", "properties": {"event": {"type": "string"}, "data": {"type": "string"}}}


@router.post(
    "/translate/stream",
    response_class=EventStream,
    responses={200: {"content": {EventStream.media_type: {"schema": {**EVENT, "required": ["event", "data"]}}}}},
)
async def stream(asked: StreamRequest, services: ServicesOf) -> EventStream:
    """Translates a text and tells of every step of the search."""
    check_texts([asked.text], services.config)
    check_not_blank(asked.text)
    model = choose(services.models, asked.model, None, asked.target)
    channel = Channel()
    telling = Telling(asked.text, tag(model, asked.target), asked.beam_size, channel.send)
    tokens = [token_info(each).model_dump() for each in await to_thread(model.tokenizers[0].tokens, asked.text)]
    info = model_info(model, model.id in services.pool.loaded).model_dump()
    channel.send("meta", {"model": info, "source": {"text": asked.text, "tokens": tokens}})
    work = services.batchers[model.id].run(telling)
    return EventStream(_events(channel, work, services), headers={"Cache-Control": "no-store"})


class Channel:
    """Events from a model's thread to the event loop; closed when the client has gone."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._closed = threading.Event()

    def send(self, event: str, data: dict[str, Any]) -> None:
        """Sends an event, from any thread. Raises Unwanted where nobody listens any more."""
        if self._closed.is_set():
            raise Unwanted
        self._put(format_sse_event(event=event, data_str=to_json(data).decode()))

    def end(self, work: "Future[None]") -> None:
        """Ends the events, when `work` is done; tells of its problem if there was one."""
        error = None if work.cancelled() else work.exception()
        if error is not None and not isinstance(error, Unwanted):
            problem = problem_of(error)
            if problem.code == "internal":  # uvicorn logs only what ends an answer
                logging.getLogger("uvicorn.error").error("Exception in a stream", exc_info=error)
            self._put(problem_event(problem))
        self._put(None)

    async def next(self, deadline: float) -> bytes | None:
        """The next event; None after the last. Raises TimeoutError at the loop's time `deadline`."""
        return await asyncio.wait_for(self._events.get(), deadline - self._loop.time())

    def close(self) -> None:
        """Has `send` raise Unwanted from now on, as nobody listens any more."""
        self._closed.set()

    def _put(self, event: bytes | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._events.put_nowait, event)


def problem_event(problem: Problem) -> bytes:
    """A problem in the middle of a stream, whose status has been sent already."""
    return format_sse_event(event="error", data_str=describe(problem).model_dump_json())


async def _events(channel: Channel, work: "Future[None]", services: Services) -> AsyncGenerator[bytes]:
    """All events of a stream, until it ends, its client leaves or its time is up."""
    work.add_done_callback(channel.end)
    told = False
    deadline = asyncio.get_running_loop().time() + services.config.timeout
    try:
        while (event := await channel.next(deadline)) is not None:
            yield event
        told = True
    except TimeoutError:
        told = True
        yield problem_event(Problem("timeout", f"not done within {services.config.timeout:g} s; send less text"))
    finally:
        if not told:
            services.metrics.left.inc()
        channel.close()
        work.cancel()
