"""Counts of one process, and of several together."""

import os
import signal
import subprocess
import sys

import pytest

from polyhead.server.metrics import Metrics, _forget_dead

WORKER = """
import sys
from pathlib import Path
from polyhead.server.metrics import Metrics
metrics = Metrics(Path(sys.argv[1]))
metrics.requests.labels("GET", "/health", "200").inc(int(sys.argv[2]))
metrics.seconds.labels("/health").observe(0.02)
metrics.waiting.labels("m").set(int(sys.argv[2]))
print(metrics.text().decode(), flush=True)
sys.stdin.readline()
print(metrics.text().decode(), flush=True)
"""


def test_two_servers_in_a_process_count_apart():
    one, other = Metrics(), Metrics()
    one.characters.inc(3)
    assert (one.total("polyhead_deepl_characters_total"), other.total("polyhead_deepl_characters_total")) == (3, 0)
    assert b"polyhead_deepl_characters_total 3.0" in one.text()


@pytest.fixture
def start(tmp_path):
    """(count) → a process that has counted so far, and what it answered then."""
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    begun = []

    def started(count):
        command = [sys.executable, "-c", WORKER, str(tmp_path), str(count)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        begun.append(process)
        told = []
        while not told or told[-1].strip():
            told.append(process.stdout.readline())
        return process

    yield started
    for process in begun:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def test_every_worker_tells_the_sum_and_what_died_with_one_is_not_waiting(start):
    first, second = start(3), start(4)
    told = first.communicate("\n", timeout=60)[0]
    assert 'polyhead_requests_total{method="GET",route="/health",status="200"} 7.0' in told
    assert 'polyhead_request_seconds_count{route="/health"} 2.0' in told
    assert 'polyhead_request_seconds_bucket{le="0.025",route="/health"} 2.0' in told
    assert 'polyhead_texts_waiting{model="m"} 7.0' in told
    second.send_signal(signal.SIGKILL)
    second.wait()
    third = start(5)
    told = third.communicate("\n", timeout=60)[0]
    assert 'polyhead_requests_total{method="GET",route="/health",status="200"} 12.0' in told, "counters never fall"
    assert 'polyhead_texts_waiting{model="m"} 5.0' in told


def test_on_windows_no_worker_is_asked_whether_it_lives(tmp_path, monkeypatch):
    asked = []
    (tmp_path / "gauge_livesum_1234.db").touch()
    monkeypatch.setattr(os, "kill", lambda *signal: asked.append(signal))
    _forget_dead(tmp_path)
    assert asked == [(1234, 0)]
    monkeypatch.setattr(sys, "platform", "win32")
    _forget_dead(tmp_path)
    assert asked == [(1234, 0)]
