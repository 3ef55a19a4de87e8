"""How a server begins: the address is taken at once, who connects is refused until it can answer, pauses are said."""

import logging
import os
import socket
import sys

from polyhead.errors import PolyheadError
from polyhead.messages import show_messages

BACKLOG = 2048
"""So many connections may wait to be taken up."""


def bound(host: str, port: int) -> socket.socket:
    """A socket that has the address and refuses whoever connects. Raises PolyheadError where it can't be had."""
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
    """From now on connections wait to be taken up, and `told` is said. Raises PolyheadError, as `bound` does."""
    try:
        listener.listen(BACKLOG)
    except OSError as error:  # another server that has begun since
        raise _refused(listener.getsockname(), error) from error
    print(told, file=sys.stderr, flush=True)


def show_pauses() -> None:
    """Says what a start waits for on standard error, also where no terminal is: in a container's log."""
    if not logging.getLogger("polyhead").handlers:
        show_messages()


def _refused(address: tuple[str, int], error: OSError) -> PolyheadError:
    host, port = address[:2]
    reason = error.strerror or error
    return PolyheadError(f"cannot listen at {host}, port {port}: {reason}; choose others: --host, --port")
