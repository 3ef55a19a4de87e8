"""Training on a device: target tokens a second, the peak of its memory, and what was learnt in the same time."""

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.contest import Contestant, Stage
from benchmarks.conversation import DriverError
from benchmarks.gpu.clock import Clock
from benchmarks.gpu.plan import Amounts
from benchmarks.gpu.start import started
from benchmarks.gpu.texts import Text
from benchmarks.results import Row, with_ratios
from benchmarks.rounds import Series, alternate
from benchmarks.systems import OURS, System
from benchmarks.training import training_request

JUDGING_SECONDS = 60.0
PEAKS = {"allocated_mib": "peak device memory, allocated", "reserved_mib": "peak device memory, reserved"}
"""What drivers tell of a GPU's memory, and how the results call it."""
COMPARED = ("target tokens/s", "MiB")
"""Units of what is set against ours; a loss after another number of updates is not."""


@dataclass
class Runner:
    """One system in training."""

    contestant: Contestant
    clock: Clock
    limit: float
    """Seconds after which a turn is broken off."""
    count: int = 1
    """Updates of a turn."""
    updates: int = 0
    """Done so far."""
    peaks: dict[str, float] = field(default_factory=dict[str, float])

    def turn(self) -> float:
        """So many updates → target tokens a second. Raises DriverError where no time is left."""
        return self.run(self.count)[0]

    def run(self, count: int) -> tuple[float, float]:
        """→ target tokens a second, seconds."""
        if not self.clock.left():
            raise DriverError("no time was left")
        answer = self.contestant.driver.ask("run", self.clock.at_most(self.limit), count=count)
        self.updates += count
        self.peaks = {name: float(answer[name]) for name in PEAKS if name in answer}
        seconds = float(answer["seconds"])
        return float(answer["tokens"]) / seconds, seconds

    def prepare(self, warm_up: int, probe: int, seconds: float) -> float:
        """Warms up and finds out how many updates a turn of so many seconds has → target tokens a second."""
        self.run(warm_up)
        speed, needed = self.run(probe)
        self.count = max(1, round(seconds / (needed / probe)))
        return speed

    def loss(self) -> float:
        """Nats a token of held-out text."""
        return float(self.contestant.driver.ask("judge", self.clock.at_most(JUDGING_SECONDS))["loss"])


def measure(
    stage: Stage, amounts: Amounts, text: Text, size_name: str, systems: tuple[System, ...], clock: Clock, save: Path
) -> list[Row]:
    """The rows of one size; the model that ours has become is written to `save`."""
    stage.say(f"training, {size_name}")
    plan = stage.plan
    with ExitStack() as running:
        contestants = started(stage, systems, lambda system: _request(stage, text, size_name, system), running)
        seconds = amounts.training_seconds / (plan.rounds * max(1, len(contestants)))
        runners = {each.system.name: Runner(each, clock, plan.seconds) for each in contestants}
        for name, runner in list(runners.items()):
            speed = stage.tried(
                runner.contestant, lambda runner=runner: runner.prepare(plan.warm_up, plan.updates, seconds)
            )
            if speed is None:
                del runners[name]
            else:
                stage.say(f"{name}: {speed:,.0f} target tokens/s, {runner.count} updates a turn")
        series = alternate({name: runner.turn for name, runner in runners.items()}, plan.rounds)
        rows = [row for name, runner in runners.items() for row in _rows(stage, text, size_name, runner, series[name])]
        if OURS in runners:
            ours = runners[OURS].contestant
            stage.tried(ours, lambda: len(ours.driver.ask("save", directory=str(save.resolve()))))
        compared, others = ([row for row in rows if (row.unit in COMPARED) is so] for so in (True, False))
        return [*with_ratios(compared), *others]


def _request(stage: Stage, text: Text, size_name: str, system: System) -> dict[str, Any]:
    return training_request(stage, text.training, size_name, system) | {"data": text.data}


def _rows(stage: Stage, text: Text, size: str, runner: Runner, series: Series) -> list[Row]:
    contestant = runner.contestant
    if series.failure is not None:
        stage.note(f"training, {size}, {contestant.system.name}: {series.failure}")
    named: dict[str, Any] = {
        "task": "training",
        "size": size,
        "system": contestant.system.name,
        "setting": contestant.title,
        "data": text.corpus.name,
    }
    note = series.failure or ""
    rows = [
        Row(**named, measure="throughput", value=series.median, unit="target tokens/s", spread=series.spread, note=note)
    ]
    rows += [Row(**named, measure=PEAKS[name], value=round(peak, 1), unit="MiB") for name, peak in runner.peaks.items()]
    return [*rows, *_learnt(stage, named, runner)]


def _learnt(stage: Stage, named: dict[str, Any], runner: Runner) -> list[Row]:
    """How far it came in its time, which is further for who is faster."""
    rows = [Row(**named, measure="updates done", value=float(runner.updates), unit="updates")]
    if (loss := stage.tried(runner.contestant, runner.loss)) is not None:
        rows.append(Row(**named, measure="loss after these updates", value=round(loss, 4), unit="nats/token"))
    return rows
