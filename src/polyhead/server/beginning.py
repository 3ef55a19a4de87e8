"""How a server begins: it binds its address at once, refuses connections until it can answer, and tells of pauses."""

import logging
import os
import socket
import sys

from polyhead.errors import PolyheadError
from polyhead.messages import show_messages

BACKLOG = 2048
"""How many connections may wait to be accepted."""


def bound(host: str, port: int) -> socket.socket:
    """A socket that is bound to the address and doesn't listen yet. Raises PolyheadError where it can't be bound."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere it would mean that two servers may have one address
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise _refused((host, port), error) from error
    return listener


def begin(listener: socket.socket, told: str) -> None:
    """Lets the socket listen, and prints `told` on standard error. Raises PolyheadError where it cannot listen."""
    try:
        listener.listen(BACKLOG)
    except OSError as error:  # another server that has begun since
        raise _refused(listener.getsockname(), error) from error
    print(told, file=sys.stderr, flush=True)


def show_pauses() -> None:
    """Shows on standard error what a start waits for, also without a terminal, as in a container's log."""
    if not logging.getLogger("polyhead").handlers:
        show_messages()


def _refused(address: tuple[str, int], error: OSError) -> PolyheadError:
    host, port = address[:2]
    reason = error.strerror or error
    return PolyheadError(f"cannot listen at {host}, port {port}: {reason}; choose others: --host, --port")
