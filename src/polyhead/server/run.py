"""Running the server until it is told to stop."""

import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from polyhead.errors import PolyheadError
from polyhead.server.app import build_app
from polyhead.server.pool import open_directories
from polyhead.server.services import Services
from polyhead.server.settings import ServerConfig

BACKLOG = 2048
"""So many connections may wait to be taken up."""


def run(paths: Sequence[Path], config: ServerConfig, host: str, port: int) -> None:
    """Answers at `host:port` and says so on standard error; port 0 takes any that is free.

    SIGTERM, SIGHUP and SIGINT let the requests under way come to their end first. Raises ModelError for a directory
    that is no model, PolyheadError for an address that cannot be listened at and a file that cannot be written.
    """
    models = open_directories(paths)
    with _listen(host, port) as listener:
        services = Services.start(models, config)
        _let_finish()
        names, shown = ", ".join(model.id for model in models), f"[{host}]" if ":" in host else host
        print(f"serving {names} at http://{shown}:{listener.getsockname()[1]}", file=sys.stderr, flush=True)
        settings = uvicorn.Config(
            build_app(services),
            backlog=BACKLOG,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=int(config.timeout) + 1,
        )
        uvicorn.Server(settings).run([listener])


def _let_finish() -> None:
    """uvicorn raises the signal once more when it has shut down: then the work is done, and that is a success."""
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(
            signal.SIGHUP, lambda number, frame: signal.raise_signal(signal.SIGTERM)
        )  # its terminal is closed


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        reason = error.strerror or error
        raise PolyheadError(f"cannot listen at {host}, port {port}: {reason}; choose others: --host, --port") from error
