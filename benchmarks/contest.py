"""Starts systems, finds the best setting of each, and keeps them running for the rounds."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.conversation import Answer, Driver, DriverError
from benchmarks.environments import ENVIRONMENTS, Environment, InstallationError, own_python, python_of, versions
from benchmarks.machine import AVX2_ALONE
from benchmarks.plan import Places, Plan, Say
from benchmarks.systems import Setting, System


@dataclass
class Contestant:
    """A system running in one of its settings."""

    system: System
    setting: Setting
    driver: Driver
    prepared: Answer = field(default_factory=dict[str, Any])
    ready_seconds: float = 0.0
    """From the start of its process until it could be used."""

    @property
    def title(self) -> str:
        """The setting, and what the system made of it."""
        said = self.prepared.get("said")
        return f"{self.setting.name} ({said})" if said and said != self.setting.name else self.setting.name


@dataclass
class Stage:
    """Where contestants come from and what went wrong with some of them."""

    plan: Plan
    places: Places
    threads: int
    say: Say
    avx2_alone: bool = False
    """Whether nobody may use instructions beyond AVX2."""
    find: Callable[[Environment, Path, Say], Path] = python_of
    """Finds, or makes, a peer's environment."""
    date: str = field(default_factory=lambda: datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"))
    """When the call began."""
    notes: list[str] = field(default_factory=list[str])
    versions: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    _pythons: dict[str, Path | None] = field(default_factory=dict[str, Path | None])

    def python(self, system: System) -> Path | None:
        """Of the system's environment; None, and a note, where that cannot be made."""
        name = system.environment or ""
        if name not in self._pythons:
            self._pythons[name] = self._make(name)
        python = self._pythons[name]
        named = system.variant_of or system.name
        if python is not None and named not in self.versions:
            self.versions[named] = versions(python)
        return python

    def start(self, system: System, setting: Setting, request: Mapping[str, Any]) -> Contestant | None:
        """A contestant that has answered `prepare`; None, and a note, where it cannot."""
        python = self.python(system)
        if python is None:
            return None
        threads = setting.threads or self.threads
        name = f"{system.name} {setting.name}".replace("/", "-").replace(" ", "-")
        log = self.places.cache / "logs" / f"{Path(system.script).stem}-{name}.log"
        variables = {**(AVX2_ALONE if self.avx2_alone else {}), **setting.variables}
        driver = Driver(python, system.script, log, threads, variables)
        try:
            values = {**setting.values, "threads": threads}
            prepared = driver.ask("prepare", self.plan.seconds, **request, setting=values)
        except DriverError as error:
            driver.close()
            self.note(f"{system.name}, {setting.name}: {error}")
            return None
        return Contestant(system, setting, driver, prepared, driver.age())

    def tried(self, contestant: Contestant, run: Callable[[], float]) -> float | None:
        """What `run` asked of it gave; None, and a note, where it failed."""
        try:
            return run()
        except DriverError as error:
            self.note(f"{contestant.system.name}, {contestant.setting.name}: {error}")
            return None

    def note(self, text: str) -> None:
        """Says it and keeps it for the results."""
        if text not in self.notes:
            self.say(text)
            self.notes.append(text)

    def _make(self, name: str) -> Path | None:
        if not name:
            return own_python()
        try:
            return self.find(ENVIRONMENTS[name], self.places.environments, self.say)
        except InstallationError as error:
            self.note(f"the environment {name} is missing: {error}")
            return None


def compile_kernels(
    stage: Stage, system: System, setting: Setting, request: Mapping[str, Any], *runs: Callable[[Contestant], float]
) -> None:
    """Those that `runs` need, of which one may fail: in a process of their own, where the system is the project itself.

    It happens once on a machine, and is no part of what a start takes, nor of what training keeps in memory.
    """
    contestant = stage.start(system, setting, request) if system.environment is None else None
    if contestant is not None:
        for run in runs:
            stage.tried(contestant, partial(run, contestant))
        contestant.driver.close()


def winners(
    stage: Stage,
    systems: tuple[System, ...],
    request: Callable[[System], Mapping[str, Any]],
    rate: Callable[[Contestant], float],
    running: ExitStack,
) -> dict[str, Contestant]:
    """Each system in the setting whose `rate` is the highest, still running; `running` ends them.

    request: system → what its driver is told to prepare
    A process runs one setting alone, so that its peak memory is that setting's.
    """
    found: dict[str, Contestant] = {}
    for system in systems:
        best: tuple[float, Contestant] | None = None
        for setting in system.settings:
            compile_kernels(stage, system, setting, request(system), rate)
            contestant = stage.start(system, setting, request(system))
            if contestant is None:
                continue
            value = stage.tried(contestant, lambda contestant=contestant: rate(contestant))
            stage.say(f"{system.name}, {setting.name}: {value:,.1f} a second" if value else f"{system.name}: no figure")
            if value is not None and (best is None or value > best[0]):
                if best is not None:
                    best[1].driver.close()
                best = (value, contestant)
            else:
                contestant.driver.close()
            if best is not None and not stage.plan.all_settings:
                break
        if best is not None:
            found[system.name] = best[1]
            running.callback(best[1].driver.close)
    return found
