"""Several worker processes that answer at one address: uvicorn makes them, looks after them and ends them."""

import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from polyhead.errors import PolyheadError
from polyhead.orphans import when_orphaned
from polyhead.server.beginning import begin, show_pauses
from polyhead.server.metrics import share
from polyhead.server.settings import ServerConfig
from polyhead.server.shared import Shared

MOST_DEATHS, _LATELY = 5, 60.0
"""How often a worker may die within how many seconds. If they die more often, something is wrong with all of them."""
_LAST_WORDS = 15.0
"""Seconds that workers have to end, beyond the time limit of the requests under way."""


@dataclass(frozen=True)
class Application:
    """Makes the application in a worker process, to which this object is sent."""

    models: tuple[Path, ...]
    config: ServerConfig
    shared: Shared

    def __call__(self) -> Any:
        """The application, with services of this process' own; ends the process where they can't be had."""
        from polyhead.server.app import build_app
        from polyhead.server.pool import open_directories
        from polyhead.server.services import Services

        when_orphaned(lambda: os.kill(os.getpid(), signal.SIGTERM))
        try:
            services = Services.start(open_directories(self.models), self.config, shared=self.shared)
        except PolyheadError as error:
            print(f"polyhead: {error}", file=sys.stderr, flush=True)
            sys.exit(STARTUP_FAILURE)  # otherwise another one would be made, and fail as well
        if self.shared.is_first():
            show_pauses()
        services.pool.get_ready(services.models[0])
        self.shared.ready.touch()
        return build_app(services)


def run_workers(
    count: int,
    models: Sequence[Path],
    config: ServerConfig,
    listener: socket.socket,
    settings: dict[str, Any],
    told: str,
) -> None:
    """Answers by `count` worker processes until a signal comes, then ends them all.

    settings: uvicorn's, as for a server in one process; told: what is said when the first of them can answer
    Raises PolyheadError where workers can't begin, or the address can't be listened at.
    """
    with TemporaryDirectory(prefix="polyhead-", ignore_cleanup_errors=True) as folder:
        shared = Shared(Path(folder))
        shared.make()
        share(shared.metrics)
        application = Application(tuple(path.absolute() for path in models), config, shared)
        asked = uvicorn.Config(application, factory=True, workers=count, **settings)
        supervisor = Supervisor(asked, [listener], config.timeout + _LAST_WORDS, shared.ready, told)
        supervisor.run()
        if supervisor.problem is not None:
            raise supervisor.problem


class Supervisor(Multiprocess):
    """uvicorn's supervisor, which also says when it can answer, kills late workers, and ends with its terminal."""

    def __init__(
        self, config: uvicorn.Config, sockets: list[socket.socket], patience: float, ready: Path, told: str
    ) -> None:
        """patience: seconds that workers have to end; told: what is said when the file `ready` is there"""
        ignored = [number for number in _HANG_UP if signal.getsignal(number) is signal.SIG_IGN]
        super().__init__(config, sockets)
        for number in ignored:  # as under nohup
            signal.signal(number, signal.SIG_IGN)
        self._patience = patience
        self._ready, self._told = ready, told
        self._deaths: list[float] = []
        self.problem: PolyheadError | None = None
        """Why it has ended by itself."""

    def handle_hup(self) -> None:
        """A server whose terminal is closed ends, whether it has workers or not."""
        self.handle_term()

    def keep_subprocess_alive(self) -> None:
        """Replaces workers that have died. Ends the server where workers can't even begin, or die too often.

        uvicorn's own method would ask each whether it answers, and hear no signals until it does or its time is up.
        """
        if self._told and self._ready.exists():
            try:
                begin(self.sockets[0], self._told)
            except PolyheadError as error:
                self._end(error)
                return
            self._told = ""
        for place, worker in enumerate(self.processes):
            if worker.process.is_alive():
                continue
            worker.join()
            now = time.monotonic()
            self._deaths = [death for death in self._deaths if now - death < _LATELY] + [now]
            if worker.exitcode == STARTUP_FAILURE or len(self._deaths) > MOST_DEATHS * self.processes_num:
                self._end(PolyheadError("the workers can't begin, or die soon after; what they said is above"))
                return
            print(f"polyhead: worker {worker.pid} has died and is replaced", file=sys.stderr, flush=True)
            self.processes[place] = Process(self.config, self.sockets)
            self.processes[place].start()

    def _end(self, problem: PolyheadError) -> None:
        """Has `run` end the workers and return; raised before that, the problem would leave them running."""
        self.problem = problem
        self.should_exit.set()

    def join_all(self) -> None:
        """Waits for the workers, and kills those that don't come to their end."""
        deadline = time.monotonic() + self._patience
        for each in self.processes:
            each.process.join(max(0.0, deadline - time.monotonic()))
            if each.process.is_alive():
                print(f"polyhead: worker {each.pid} did not end in time and was killed", file=sys.stderr)
                each.process.kill()
        super().join_all()


_HANG_UP = [getattr(signal, name) for name in ("SIGHUP",) if hasattr(signal, name)]
