"""Speed and the time left, by a clock under control."""

import pytest

from polyhead.training import meter as module
from polyhead.training.meter import Meter


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])
    return now


def run(meter, clock, updates, seconds, tokens=10):
    for _ in range(updates):
        clock[0] += seconds
        meter.add(tokens)


def test_speed_is_that_of_training_alone(clock):
    meter = Meter(seconds_before=50.0)
    run(meter, clock, 10, 0.5)
    meter.validation(lambda: clock.__setitem__(0, clock[0] + 30))
    assert meter.speed() == pytest.approx(20.0)
    assert meter.seconds() == pytest.approx(85.0)


def test_the_time_left_follows_the_recent_pace(clock):
    meter = Meter(0.0)
    assert meter.remaining(100, 0) is None
    run(meter, clock, 100, 10.0)
    meter.speed()
    assert meter.remaining(100, 0) == pytest.approx(1000.0)
    for _ in range(8):  # ten times as fast from now on
        run(meter, clock, 10, 1.0)
        meter.speed()
    assert meter.remaining(100, 0) == pytest.approx(100.0, rel=0.05)


def test_what_happens_once_does_not_tell_the_time_left(clock):
    meter = Meter(0.0)
    clock[0] += 60  # kernels are compiled
    run(meter, clock, 10, 1.0)
    meter.speed()
    assert meter.remaining(100, 0) == pytest.approx(100.0)
    run(meter, clock, 10, 2.0)
    meter.speed()
    assert meter.remaining(100, 0) == pytest.approx(150.0)


def test_the_first_update_alone_does_not_tell_the_time_left(clock):
    meter = Meter(0.0)
    run(meter, clock, 1, 60.0)
    assert meter.speed() == pytest.approx(10 / 60)
    assert meter.remaining(100, 0) is None
    run(meter, clock, 1, 1.0)
    meter.validation(lambda: clock.__setitem__(0, clock[0] + 30))
    meter.speed()
    assert meter.remaining(100, 0) == pytest.approx(100.0)


def test_validations_to_come_count_too(clock):
    meter = Meter(0.0)
    run(meter, clock, 10, 1.0)
    meter.validation(lambda: clock.__setitem__(0, clock[0] + 60))  # kernels are compiled
    meter.speed()
    assert meter.remaining(20, 3) == pytest.approx(20)
    meter.validation(lambda: clock.__setitem__(0, clock[0] + 7))
    assert meter.remaining(20, 3) == pytest.approx(20 + 21)
