"""A driver's side of the conversation with the runner: one JSON object a line, in and out.

A driver is a script that runs in its system's own virtual environment, so this file knows the standard library alone.
"""

import json
import os
import resource
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

Answer = dict[str, Any]


class Wire:
    """Requests from standard input; answers to what was standard output, which libraries cannot reach any more."""

    def __init__(self) -> None:
        self._answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)  # what libraries print goes where errors go: into the log

    def requests(self) -> Iterator[dict[str, Any]]:
        """Until the runner closes its end."""
        for line in sys.stdin:
            yield json.loads(line)

    def answer(self, answer: Answer) -> None:
        """Sends it, with this process's peak memory."""
        self._answers.write(json.dumps({**answer, "peak_mib": peak_mib()}) + "\n")
        self._answers.flush()


def serve(handlers: Mapping[str, Callable[..., Answer]]) -> None:
    """Answers `{"do": name, …}` with `handlers[name](…)`; what goes wrong is an answer too, `{"error": …}`."""
    wire = Wire()
    for request in wire.requests():
        try:
            wire.answer(handlers[request.pop("do")](**request))
        except Exception as error:
            traceback.print_exc()
            wire.answer(failure(error))


def failure(error: BaseException) -> Answer:
    """The answer that says why there is none."""
    return {"error": f"{type(error).__name__}: {error}".strip().splitlines()[0]}


def peak_mib() -> float:
    """The most memory that was ever resident in this process or in one that it has waited for, in MiB."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return max(_own_peak(), children)


def _own_peak() -> float:
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    # getrusage counts what the process was forked from too; VmHWM begins anew with the program.
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
