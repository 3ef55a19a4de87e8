"""Which cluster a command works on, and what stays as it was; without a cluster."""

import signal
import sys
from types import ModuleType
from typing import Any

import pytest

from polyhead.bulk.cluster import connect, ray_for
from polyhead.extras import MissingExtra


class Ray:
    """What is asked of Ray."""

    def __init__(self, is_there: bool, connected: bool = False) -> None:
        self.is_there, self.connected = is_there, connected
        self.calls: list[dict[str, Any]] = []

    def is_initialized(self) -> bool:
        return self.connected

    def init(self, **options: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # as Ray does, in its own way
        self.calls.append(options)
        if options["address"] == "auto" and not self.is_there:
            raise ConnectionError("none")


def test_a_cluster_that_is_there_is_taken_as_it_is():
    ray = Ray(is_there=True)
    assert connect(ray, 4)
    (options,) = ray.calls
    assert options["address"] == "auto"
    assert "num_cpus" not in options


def test_where_there_is_none_one_is_started():
    ray = Ray(is_there=False)
    assert connect(ray, 4)
    assert [call["address"] for call in ray.calls] == ["auto", "local"]
    assert ray.calls[1]["num_cpus"] == 4


def test_who_is_connected_stays_so():
    ray = Ray(is_there=True, connected=True)
    assert not connect(ray, 4)
    assert ray.calls == []


def test_signals_keep_their_handlers():
    before = signal.getsignal(signal.SIGTERM)
    connect(Ray(is_there=False), 4)
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"train --ray needs the package ray: pip install 'polyhead\[ray\]'"):
        ray_for("train --ray", "ray.train.torch")
    monkeypatch.setitem(sys.modules, "ray", ModuleType("ray"))  # Ray alone, without what a part of it needs
    with pytest.raises(MissingExtra, match=r"train --ray needs all of ray.train.torch: pip install 'polyhead\[ray\]'"):
        ray_for("train --ray", "ray.train.torch")
