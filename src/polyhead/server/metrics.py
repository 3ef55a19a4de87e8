"""What Prometheus is told. A registry of its own for every server: two in one process don't share counts."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


class Metrics:
    """The server's counters."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self.requests = Counter(
            "polyhead_requests", "Requests answered", ["method", "route", "status"], registry=registry
        )
        self.seconds = Histogram(
            "polyhead_request_seconds", "Seconds until the answer ended", ["route"], buckets=_SECONDS, registry=registry
        )
        self.left = Counter("polyhead_clients_left", "Clients that left before their answer", registry=registry)
        self.waiting = Gauge("polyhead_texts_waiting", "Texts that wait for a model", ["model"], registry=registry)
        self.batches = Histogram(
            "polyhead_batch_texts", "Texts decoded together", ["model"], buckets=_SIZES, registry=registry
        )
        self.loaded = Gauge("polyhead_model_bytes", "Bytes of the weights loaded", ["model"], registry=registry)
        self.traces = Gauge("polyhead_trace_bytes", "Bytes of the traces kept", registry=registry)

    def text(self) -> bytes:
        """Everything in Prometheus' text format."""
        return generate_latest(self._registry)
