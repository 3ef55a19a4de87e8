"""The equality tests: what a GPU computes against the CPU in float32, before anything is measured."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from benchmarks.environments import ROOT
from benchmarks.results import Row
from benchmarks.systems import OURS

FILES = (
    "tests/test_batch.py",
    "tests/model/test_dropout.py",
    "tests/training/fused/test_gpu.py",
    "tests/training/test_on_any_device.py",
    "tests/recipe/test_on_any_device.py",
    "tests/translating/test_on_any_device.py",
    "tests/inspection/test_on_any_device.py",
)
"""Those with tests that are marked `gpu`."""
PARTS = {"failures": "failed", "errors": "broken", "skipped": "skipped"}


@dataclass(frozen=True)
class Outcome:
    """What became of the tests."""

    counts: Mapping[str, int]
    """passed, failed, broken, skipped."""
    seconds: float
    problems: tuple[str, ...] = ()
    """One sentence each."""

    @property
    def is_good(self) -> bool:
        """Whether there were tests and all of them passed."""
        return not self.problems and self.counts["passed"] > 0 and sum(self.counts.values()) == self.counts["passed"]

    def rows(self) -> list[Row]:
        """For the results."""
        named = {"task": "equality", "size": "", "system": OURS, "setting": "", "unit": "tests"}
        return [Row(**named, measure=name, value=float(count)) for name, count in self.counts.items()]


def run(device: str, report: Path, seconds: float) -> Outcome:
    """Runs the tests of a device in a process of their own; on a CPU those that take a GPU's way there."""
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    chosen = "gpu" if device == "cuda" else "not gpu and not slow"
    warnings = ("-W", "default")  # a device's libraries may have some of their own, which say nothing of equality
    options = ["-q", *warnings, "-m", chosen, f"--junitxml={report.resolve()}"]
    command = [sys.executable, "-m", "pytest", *options, *FILES]
    log = report.with_suffix(".log")
    with log.open("w", encoding="utf-8") as output:
        try:
            done = subprocess.run(
                command, cwd=ROOT, stdout=output, stderr=output, env=dict(os.environ), timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            return _none(seconds, f"the equality tests took longer than {seconds:.0f} seconds and were ended")
    if not report.exists():
        return _none(0.0, f"the equality tests could not be run (pytest ended with {done.returncode}); see {log}")
    return outcome(ET.parse(report).getroot())


def outcome(found: ET.Element) -> Outcome:
    """pytest's JUnit report → its counts, and the names of tests that did not pass."""
    suites = list(found.iter("testsuite"))
    counts = {said: sum(int(suite.get(name, 0)) for suite in suites) for name, said in PARTS.items()}
    every = sum(int(suite.get("tests", 0)) for suite in suites)
    cases = [
        f"{case.get('classname')}::{case.get('name')}"
        for case in found.iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None
    ]
    seconds = sum(float(suite.get("time", 0)) for suite in suites)
    problems = tuple(f"equality test failed: {case}" for case in cases)
    if not every - counts["skipped"]:
        problems = (*problems, "no equality test was run")
    return Outcome({"passed": every - sum(counts.values()), **counts}, seconds, problems)


def _none(seconds: float, problem: str) -> Outcome:
    return Outcome(dict.fromkeys(("passed", *PARTS.values()), 0), seconds, (problem,))
