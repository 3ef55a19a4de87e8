"""Training: target tokens a second, peak memory, and whether all systems learn alike."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.contest import Contestant, Stage, winners
from benchmarks.conversation import DriverError
from benchmarks.corpora import TrainingText, data_config
from benchmarks.plan import Plan
from benchmarks.results import Row
from benchmarks.rounds import Series, alternate, steady
from benchmarks.sizes import SIZES
from benchmarks.systems import TRAINING, System, taking_part

WARMUP_UPDATES = 100
"""Of the learning rate."""
MARIAN = "pymarian"


def measure(stage: Stage, text: TrainingText, size_name: str) -> list[Row]:
    """The rows of one size."""
    stage.say(f"training, {size_name}")
    plan = stage.plan
    with ExitStack() as running:
        contestants = winners(
            stage,
            taking_part(TRAINING, plan.peers),
            lambda system: training_request(stage, text, size_name, system),
            probe(plan),
            running,
        )
        runs = {name: partial(turn, contestant, plan.updates, plan.seconds) for name, contestant in contestants.items()}
        series = alternate(runs, plan.rounds, plan.budget)
        # Judging takes memory that training doesn't, so the peaks are read before it.
        peaks = {name: round(contestant.driver.peak_mib, 1) for name, contestant in contestants.items()}
        losses = {name: _loss(stage, contestant) for name, contestant in contestants.items()}
        for name, one in series.items():
            if one.failure is not None:
                stage.note(f"training, {size_name}, {name}: {one.failure}")
        return [
            row
            for name, contestant in contestants.items()
            for row in _rows(size_name, contestant, series[name], peaks[name], losses[name])
        ]


def training_request(stage: Stage, text: TrainingText, size_name: str, system: System) -> dict[str, Any]:
    """What a training driver is told."""
    size = SIZES[size_name]
    return {
        "size": size.message(text.pieces),
        "schedule": {"peak": size.peak, "warmup": WARMUP_UPDATES},
        "batches": str(text.batches.resolve()),
        "judged": str(text.judged.resolve()),
        "vocabulary": str(text.vocabulary.resolve()),
        "data": data_config(stage.places.data.resolve()),
        "scratch": str((stage.places.cache / "scratch" / f"{size_name}-{Path(system.script).stem}").resolve()),
    }


def turn(contestant: Contestant, updates: int, seconds: float) -> float:
    """So many updates → target tokens a second."""
    answer = contestant.driver.ask("run", seconds, count=updates)
    return float(answer["tokens"]) / float(answer["seconds"])


def probe(plan: Plan) -> Callable[[Contestant], float]:
    """Warms a contestant up, then turns of two updates. Marian begins anew each time: it has nothing to warm up."""

    def rate(contestant: Contestant) -> float:
        if contestant.system.name != MARIAN:
            contestant.driver.ask("run", 1200.0, count=plan.warm_up)
        return steady(partial(turn, contestant, 2, 1200.0), plan.probed)

    return rate


def _loss(stage: Stage, contestant: Contestant) -> float | None:
    if contestant.system.name == MARIAN:
        return None
    try:
        return float(contestant.driver.ask("judge", 600.0)["loss"])
    except DriverError as error:
        stage.note(f"{contestant.system.name}: its likelihood cannot be told: {error}")
        return None


def _rows(size: str, contestant: Contestant, series: Series, peak: float, loss: float | None) -> list[Row]:
    named: Mapping[str, Any] = {
        "task": "training",
        "size": size,
        "system": contestant.system.name,
        "setting": contestant.title,
        "data": "multi30k",
    }
    note = series.failure or ""
    rows = [
        Row(
            **named, measure="throughput", value=series.median, unit="target tokens/s", spread=series.spread, note=note
        ),
        Row(**named, measure="peak memory", value=peak, unit="MiB"),
    ]
    if loss is not None:
        rows.append(Row(**named, measure="loss after the rounds", value=round(loss, 4), unit="nats/token"))
    return rows
