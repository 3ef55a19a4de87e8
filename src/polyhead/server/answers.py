"""What every answer goes through: headers that keep browsers strict, HEAD, and counting."""

import time

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyhead.server.metrics import Metrics

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'self'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""The HTTP methods that are counted by name. All others are counted as one, so that clients can't add counters."""


class Answers:
    """ASGI middleware around everything else: it adds headers, answers HEAD and counts."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Adds the headers to the answer and counts it, by the address' pattern and not by the address.

        HEAD is answered as GET is, without the body.
        """
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 0
        method, headless = scope["method"], scope["method"] == "HEAD"
        if headless:  # answered as GET is; the body is left out below
            scope = {**scope, "method": "GET"}

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            if headless and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            counted = method if method in METHODS else "other"
            self._metrics.requests.labels(counted, route, str(status)).inc()
            self._metrics.seconds.labels(route).observe(time.perf_counter() - begun)
