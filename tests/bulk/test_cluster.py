"""Which cluster a command works on, and what stays as it was; without a cluster."""

import os
import signal
import sys
from types import ModuleType
from typing import Any

import pytest

from polyhead.bulk.cluster import connect, ray_for
from polyhead.errors import PolyheadError
from polyhead.extras import MissingExtra


class Ray:
    """What is asked of Ray."""

    def __init__(self, is_there: bool, connected: bool = False, error: Exception | None = None) -> None:
        self.is_there, self.connected, self.error = is_there, connected, error
        self.calls: list[dict[str, Any]] = []
        self.reports: str | None = None

    def is_initialized(self) -> bool:
        return self.connected

    def init(self, **options: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # as Ray does, in its own way
        self.calls.append(options)
        self.reports = os.environ.get("RAY_USAGE_STATS_ENABLED")
        if self.error is not None:
            raise self.error
        if "num_cpus" in options and self.is_there:
            raise ValueError("When connecting to an existing cluster, num_cpus and num_gpus must not be provided.")


def test_a_cluster_that_is_there_is_taken_as_it_is():
    ray = Ray(is_there=True)
    assert connect(ray, 4)
    assert "num_cpus" not in ray.calls[-1]
    assert not any("address" in call for call in ray.calls), "auto is also what another command has started for itself"


def test_where_there_is_none_one_is_started():
    ray = Ray(is_there=False)
    assert connect(ray, 4)
    (options,) = ray.calls
    assert options["num_cpus"] == 4


def test_one_that_does_not_answer_is_said_in_a_sentence():
    with pytest.raises(PolyheadError, match=r"no connection with the Ray cluster \(gone\): see to RAY_ADDRESS"):
        connect(Ray(is_there=True, error=ConnectionError("gone\nmore")), 4)


def test_who_is_connected_stays_so():
    ray = Ray(is_there=True, connected=True)
    assert not connect(ray, 4)
    assert ray.calls == []


@pytest.mark.parametrize(("wanted", "found"), [(None, "0"), ("1", "1")])
def test_a_cluster_reports_its_use_to_nobody_unless_that_is_wanted(wanted, found, monkeypatch):
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", wanted or "")
    if wanted is None:
        monkeypatch.delenv("RAY_USAGE_STATS_ENABLED")
    ray = Ray(is_there=False)
    connect(ray, 4)
    assert ray.reports == found


def test_signals_keep_their_handlers():
    before = signal.getsignal(signal.SIGTERM)
    connect(Ray(is_there=False), 4)
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"train --ray needs the package ray: pip install 'polyhead\[ray\]'"):
        ray_for("train --ray", "ray.train.torch")
    monkeypatch.setitem(sys.modules, "ray", ModuleType("ray"))  # Ray alone, without what a part of it needs
    monkeypatch.setitem(sys.modules, "ray.train.torch", None)  # also where another test has loaded it
    with pytest.raises(MissingExtra, match=r"train --ray needs all of ray.train.torch: pip install 'polyhead\[ray\]'"):
        ray_for("train --ray", "ray.train.torch")
