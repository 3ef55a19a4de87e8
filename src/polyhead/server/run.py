"""Running the server until it is told to stop."""

import signal
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import uvicorn

from polyhead.server.app import build_app
from polyhead.server.beginning import BACKLOG, begin, bound, show_pauses
from polyhead.server.detection import Detector
from polyhead.server.pool import ModelDirectory, open_directories
from polyhead.server.services import Services
from polyhead.server.settings import ServerConfig
from polyhead.server.suggestions import SuggestionFile
from polyhead.server.workers import run_workers


def run(paths: Sequence[Path], config: ServerConfig, host: str, port: int, workers: int = 1) -> None:
    """Answers at `host:port` and says so on standard error; port 0 takes any that is free.

    workers: how many processes answer; 1: this process itself

    Until the first model has translated something connections are refused: whoever watches the server sees that it
    isn't ready, and no request waits for kernels that have to be compiled first.

    SIGTERM, SIGHUP and SIGINT let the requests under way come to their end first. Raises ModelError for a directory
    that is no model, PolyheadError for an address that cannot be listened at and a file that cannot be written.
    """
    models = open_directories(paths)
    names, shown = ", ".join(model.id for model in models), f"[{host}]" if ":" in host else host
    settings = {
        "backlog": BACKLOG,
        "log_level": "warning",
        "access_log": False,
        "server_header": False,
        "timeout_graceful_shutdown": int(config.timeout) + 1,
    }
    with bound(host, port) as listener:
        told = f"serving {names} at http://{shown}:{listener.getsockname()[1]}"
        if workers == 1:
            _run_here(models, config, listener, settings, told)
            return
        _check(models, config)
        run_workers(workers, paths, config, listener, settings, f"{told} by {workers} workers")


def _run_here(
    models: Sequence[ModelDirectory],
    config: ServerConfig,
    listener: socket.socket,
    settings: Mapping[str, Any],
    told: str,
) -> None:
    """Answers in this process. told: what is printed when it can answer"""
    services = Services.start(models, config)
    show_pauses()
    services.pool.get_ready(models[0])
    _let_finish()
    begin(listener, told)
    uvicorn.Server(uvicorn.Config(build_app(services), **settings)).run([listener])


def _check(models: Sequence[ModelDirectory], config: ServerConfig) -> None:
    """Raises PolyheadError where workers could not begin, before there are any."""
    Detector(models)
    if config.suggestions is not None:
        SuggestionFile(config.suggestions, config.max_suggestions).close()


def _let_finish() -> None:
    """Makes SIGTERM end in a success: uvicorn raises it once more when it has shut down and all work is done."""
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(
            signal.SIGHUP, lambda number, frame: signal.raise_signal(signal.SIGTERM)
        )  # its terminal is closed
