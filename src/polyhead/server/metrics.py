"""What Prometheus is told. Every server has a registry of its own: two servers in one process don't share counts.

Where several worker processes answer at one address, the client library of Prometheus keeps each one's numbers in a
file, and whichever worker is asked adds them up. The library looks at its environment variable when it is imported, so
`share` is called before any worker begins.
"""

import os
import sys
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_GAUGES = "gauge_live*_*.db"


class Metrics:
    """The server's counters."""

    def __init__(self, shared: Path | None = None) -> None:
        """shared: the folder in which all workers of a server keep their numbers; None: this process is alone"""
        self._shared = shared
        self._registry = registry = CollectorRegistry()
        self.requests = Counter(
            "polyhead_requests", "Requests answered", ["method", "route", "status"], registry=registry
        )
        self.seconds = Histogram(
            "polyhead_request_seconds", "Seconds until the answer ended", ["route"], buckets=_SECONDS, registry=registry
        )
        self.left = Counter("polyhead_clients_left", "Clients that left before their answer", registry=registry)
        self.characters = Counter(
            "polyhead_deepl_characters", "Characters that DeepL's clients had translated", registry=registry
        )
        self.batches = Histogram(
            "polyhead_batch_texts", "Texts decoded together", ["model"], buckets=_SIZES, registry=registry
        )
        self.waiting = _gauge("polyhead_texts_waiting", "Texts that wait for a model", registry, "model")
        self.loaded = _gauge("polyhead_model_bytes", "Bytes of the weights loaded", registry, "model")
        self.traces = _gauge("polyhead_trace_bytes", "Bytes of the traces kept", registry)

    def text(self) -> bytes:
        """Everything in Prometheus' text format, of all workers together."""
        return generate_latest(self._all())

    def total(self, name: str) -> float:
        """A number of all workers together, by its name in `text`; 0 where nothing was counted yet."""
        return self._all().get_sample_value(name) or 0.0

    def _all(self) -> CollectorRegistry:
        if self._shared is None:
            return self._registry
        _forget_dead(self._shared)
        registry = CollectorRegistry()
        MultiProcessCollector(registry, str(self._shared))
        return registry


def share(folder: Path) -> None:
    """Has this process, if it hasn't begun to count, and its child processes keep their numbers in a folder."""
    os.environ[_FOLDER] = str(folder)


def _gauge(name: str, told: str, registry: CollectorRegistry, *labels: str) -> Gauge:
    """A gauge that is the sum over all live workers."""
    return Gauge(name, told, labels, registry=registry, multiprocess_mode="livesum")


def _forget_dead(folder: Path) -> None:
    """Deletes the gauges of workers that have died; not on Windows, where to ask whether one lives would end it."""
    if sys.platform == "win32":
        return
    for number in {int(path.stem.rpartition("_")[2]) for path in folder.glob(_GAUGES)}:
        try:
            os.kill(number, 0)
        except (ProcessLookupError, PermissionError):  # or somebody else's process has its number now
            mark_process_dead(number, str(folder))
