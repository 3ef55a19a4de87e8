"""A runner and a driver talk: answers, failures, silence."""

import sys
from pathlib import Path

import pytest

from benchmarks import conversation
from benchmarks.conversation import Driver, DriverError

DRIVER = """
import os, sys, time
sys.path.insert(0, {drivers!r})
from wire import serve

def add(one, two):
    print("noise that is no answer")
    return {{"sum": one + two}}

def fail():
    raise ValueError("no such model")

def die():
    os.kill(os.getpid(), 9)

serve({{"add": add, "fail": fail, "die": die, "leave": lambda: sys.exit(3), "wait": lambda: time.sleep(60)}})
"""


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "driver.py").write_text(DRIVER.format(drivers=str(conversation.DRIVERS)), encoding="utf-8")
    monkeypatch.setattr(conversation, "DRIVERS", tmp_path)
    started = Driver(Path(sys.executable), "driver.py", tmp_path / "logs" / "driver.log", 1, {})
    yield started
    started.close()


def test_an_answer_comes_back_and_what_was_printed_goes_to_the_log(driver: Driver) -> None:
    assert driver.ask("add", one=1, two=2) == {"sum": 3}
    assert driver.peak_mib > 1
    assert "noise" in driver.log.read_text(encoding="utf-8")


def test_a_failure_is_told_and_the_driver_goes_on(driver: Driver) -> None:
    with pytest.raises(DriverError, match="ValueError: no such model"):
        driver.ask("fail")
    assert driver.ask("add", one=2, two=2) == {"sum": 4}


def test_a_driver_that_ends_is_noticed(driver: Driver) -> None:
    with pytest.raises(DriverError, match="ended before it answered"):
        driver.ask("leave")
    with pytest.raises(DriverError, match="ended"):
        driver.ask("add", one=1, two=1)


def test_a_driver_that_the_system_kills_is_told_from_one_that_fails(driver: Driver) -> None:
    with pytest.raises(DriverError, match=r"killed by signal 9, perhaps for want of memory; see logs.driver\.log$"):
        driver.ask("die")


def test_a_driver_that_takes_too_long_is_ended(driver: Driver) -> None:
    driver.ask("add", one=1, two=1)
    with pytest.raises(DriverError, match=r"longer than 0\.2 seconds"):
        driver.ask("wait", 0.2)
