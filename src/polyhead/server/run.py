"""Running the server until it is told to stop."""

import signal
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from polyhead.server.app import build_app
from polyhead.server.pool import open_directories
from polyhead.server.services import Services
from polyhead.server.settings import ServerConfig


def run(paths: Sequence[Path], config: ServerConfig, host: str, port: int) -> None:
    """Answers at `host:port`. SIGTERM and SIGINT let the requests under way come to their end first.

    Raises ModelError for a directory that is no model.
    """
    services = Services.start(open_directories(paths), config)
    # uvicorn raises the signal once more when it has shut down: then the work is done, and that is a success.
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    uvicorn.run(
        build_app(services),
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=int(config.timeout) + 1,
    )
