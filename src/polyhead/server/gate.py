"""Who may ask: requests to another host's name, and of other web pages, are turned away.

A web page that somebody visits can send requests to this machine too. Its `Origin` tells it from the server's own page
and from programs, which send none. A page that makes its own name lead to this machine (DNS rebinding) has the right
origin, but its name in `Host`.
"""

import ipaddress
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from polyhead.server.dialects import respond
from polyhead.server.problems import Problem
from polyhead.server.settings import ServerConfig

EVERY = "*"


class Gate:
    """ASGI middleware: lets in who asks for a known host and comes from no other web page."""

    def __init__(self, app: ASGIApp, config: ServerConfig) -> None:
        self._app = app
        self._hosts = frozenset(host.lower().rstrip(".") for host in config.allowed_hosts)
        self._origins = frozenset(origin.rstrip("/") for origin in config.origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or answers it with a problem."""
        problem = self._problem(Request(scope)) if scope["type"] == "http" else None
        app = self._app if problem is None else respond(scope["path"], problem)
        await app(scope, receive, send)

    def _problem(self, request: Request) -> Problem | None:
        host, origin = request.headers.get("host"), request.headers.get("origin")
        if host is not None and not self._is_known(_name_of(host)):
            name = host[:80]
            return Problem("forbidden", f"this server is not {name!r}; start it with --allowed-host to let it be")
        if origin is None or request.headers.get("sec-fetch-site") == "same-origin" or _is_at(origin, host):
            return None
        if EVERY in self._origins or origin in self._origins:
            return None
        return Problem("forbidden", f"web pages at {origin[:80]!r} may not ask; start the server with --origin for it")

    def _is_known(self, name: str) -> bool:
        """Whether a host's name is this machine's own, an address in numbers, or an allowed one."""
        if name == "localhost" or name.endswith(".localhost") or name in self._hosts or EVERY in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)  # a page that has this address came from this very machine
        except ValueError:
            return False
        return True


def _name_of(host: str) -> str:
    """The name in `Host`, without the port and the brackets of an IPv6 address; "" where `Host` is malformed."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_at(origin: str, host: str | None) -> bool:
    """Whether a page's origin is the very host and port that it asks."""
    return origin.lower() in (f"http://{host}".lower(), f"https://{host}".lower())
