"""How much of a Ray cluster a training takes."""

from pydantic import Field

from polyhead.config import Config
from polyhead.limits import MOST_COUNTED, MOST_THREADS


class RayConfig(Config):
    """How a training is spread over a Ray cluster; what is None follows from the cluster."""

    workers: int | None = Field(default=None, ge=1, le=MOST_THREADS)
    """Processes that train together; None: one for each GPU, or for each machine where there are no GPUs."""
    cpus: int | None = Field(default=None, ge=1, le=MOST_THREADS)
    """CPUs of each worker; None: as many as all workers can have."""
    gpus: int | None = Field(default=None, ge=0, le=1)
    """GPUs of each worker; None: one if the cluster has one for every worker, otherwise none."""
    storage: str | None = None
    """Where copies of the model directory go with every checkpoint: a shared directory, or an address such as s3://."""
    restarts: int = Field(default=3, ge=0, le=MOST_COUNTED)
    """How often all workers are started again after one of them was lost."""
