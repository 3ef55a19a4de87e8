"""Reading requests within limits: of bytes, of time and of nesting, in UTF-8 and of the media type that they claim."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic_core import from_json
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyhead.server.problems import Problem
from polyhead.server.settings import ServerConfig

JSON = "application/json"

FILES = "/translate_file"
"""The address whose requests bring a file."""
_FORM_AROUND = 1 << 16
"""How many bytes a form may have beside its file."""
_UNSUPPORTED = 415
_PATIENCE = 16
"""A body of up to so many times the limit is read to its end, so that its client gets to read the answer."""


class BodyLimit:
    """ASGI middleware that limits how many bytes a request's body has, and how long they take to come."""

    def __init__(self, app: ASGIApp, config: ServerConfig) -> None:
        self._app = app
        self._config = config

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on with a `receive` that raises Problem too_large or timeout."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        size, ended = 0, False
        most, seconds = self._limits(scope["path"])
        deadline = asyncio.get_running_loop().time() + seconds

        async def limited() -> Message:
            nonlocal size, ended
            if ended:
                return await receive()
            while True:
                message = await _next(receive, deadline)
                size += len(message.get("body", b""))
                ended = message["type"] != "http.request" or not message.get("more_body", False)
                if size <= most:
                    return message
                if ended or size > _PATIENCE * most:
                    raise Problem("too_large", f"the request has more than {most} bytes")

        await self._app(scope, limited, send)

    def _limits(self, path: str) -> tuple[int, float]:
        """The most bytes of a request to this address, and the seconds that it may take to come."""
        config = self._config
        if path != FILES:
            return config.max_body, config.timeout
        return max(config.max_body, config.max_file + _FORM_AROUND), config.file_timeout


async def _next(receive: Receive, deadline: float) -> Message:
    """The next message. Raises Problem timeout where it hasn't come by the time `deadline` of the event loop."""
    try:
        async with asyncio.timeout_at(deadline):
            return await receive()
    except TimeoutError:
        raise Problem("timeout", "the request did not come to its end in time", status=408) from None


class JsonRoute(APIRoute):
    """A route whose body must be JSON of moderate depth, in UTF-8."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route's own handler, given a request that reads JSON strictly."""
        handle = super().get_route_handler()
        has_body = self.body_field is not None

        async def strictly(request: Request) -> Response:
            strict = _StrictRequest(request.scope, request.receive)
            if has_body:
                expect(media_type(request), JSON)
            return await handle(strict)

        return strictly


class _StrictRequest(Request):
    async def json(self) -> Any:
        if not hasattr(self, "_parsed"):  # called a second time where the API key is looked for
            config: ServerConfig = self.app.state.services.config
            self._parsed = parse_json(await self.body(), config.max_depth)
        return self._parsed


def media_type(request: Request) -> str:
    """The media type of a request's body, without parameters; any that ends in +json is called application/json."""
    given = request.headers.get("content-type", "").split(";")[0].strip().lower()
    return JSON if given.endswith("+json") else given


def parse_json(body: bytes, max_depth: int) -> Any:
    """The value of a JSON body. Raises Problem bad_request where it isn't UTF-8 or JSON, or is nested too deeply."""
    _decode(body)
    try:
        value: object = from_json(body, allow_inf_nan=False)
    except ValueError as error:  # raised for more than 200 levels of nesting, too
        raise Problem("bad_request", f"the body is not JSON: {error}") from None
    if _depth(value) > max_depth:
        raise Problem("bad_request", f"the body's JSON is nested more than {max_depth} levels deep")
    return _whole(value)


def _decode(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise Problem("bad_request", f"the body is not UTF-8 (byte {error.start})") from None


def _depth(value: object) -> int:
    """How many lists and objects are nested in each other."""
    if isinstance(value, dict):
        return 1 + max(map(_depth, cast("dict[str, object]", value).values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(_depth, cast("list[object]", value)), default=0)
    return 0


def _whole(value: object) -> object:
    """The value with 8 for 8.0: JSON has but one kind of number."""
    if isinstance(value, dict):
        return {name: _whole(part) for name, part in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [_whole(part) for part in cast("list[object]", value)]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def expect(kind: str, *known: str) -> None:
    """Raises Problem bad_request where a body is of none of the media types `known`."""
    if kind not in known:
        problem = f"the body is {kind!r}" if kind else "the request has no Content-Type"
        raise Problem("bad_request", f"{problem}; send {' or '.join(known)}", status=_UNSUPPORTED)
