"""The Ray cluster that a command works on: one that is there already, or one that it starts on this machine."""

import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from polyhead.errors import PolyheadError, shortened
from polyhead.extras import MissingExtra, needing_extra


def ray_for(what: str, module: str) -> Any:
    """The package `ray`, with one of its modules loaded, such as `ray.data`.

    what: the command that needs it, for messages. Raises MissingExtra where Ray, or what that module needs, is missing.
    """
    with needing_extra(what):
        ray = import_module("ray")
    try:
        import_module(module)
    except ImportError as error:  # Ray is there, but not all that this part of it needs
        raise MissingExtra(f"{what} needs all of {module}: pip install 'polyhead[ray]'") from error
    return ray


def connect(ray: Any, cpus: int) -> bool:
    """Connects this process with the cluster of RAY_ADDRESS, or of `ray start` on this machine → whether it did.

    Where there is none, a cluster of `cpus` CPUs is started that ends with this process and sends no usage statistics
    unless RAY_USAGE_STATS_ENABLED is set. A cluster that another process has started for itself is left alone, as it
    ends with that process. A process that is connected already stays connected, which gives False. Signals keep the
    handlers that they had. Raises PolyheadError where the cluster doesn't answer.
    """
    if ray.is_initialized():
        return False
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    with _signals_as_they_are():
        try:
            _connect(ray, {"num_cpus": cpus, "include_dashboard": False, **quiet}, quiet)
        except (ConnectionError, RuntimeError, ValueError) as error:
            reason = shortened(str(error).strip().partition("\n")[0], 100)
            raise PolyheadError(
                f"there is no connection with the Ray cluster ({reason}): see to RAY_ADDRESS, or unset it, and look "
                "with `ray status` whether the cluster runs"
            ) from error
    return True


def _connect(ray: Any, own: dict[str, Any], theirs: dict[str, Any]) -> None:
    try:
        ray.init(**own)
    except ValueError:  # so Ray says that there is a cluster, which has its CPUs already
        ray.init(**theirs)


@contextmanager
def _signals_as_they_are() -> Generator[None]:
    """Ray puts a handler of its own in the place of SIGTERM's, which would end the command without a word."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
