"""Ray clusters of this machine."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def ray_cluster(cpus: int) -> Iterator[None]:
    """A cluster whose workers wait for nobody else's work and report to nobody; it ends with the context.

    One that this process is connected with before is left.
    """
    import ray

    ray.shutdown()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RAY_worker_niceness", "0")
        environment.setenv("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(num_cpus=cpus, include_dashboard=False, log_to_driver=False)
        try:
            yield
        finally:
            ray.shutdown()
