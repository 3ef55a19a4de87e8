"""Translating with the models that were just trained: sentences a second on the device, and on the CPU beside it."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.contest import Stage
from benchmarks.conversation import DriverError
from benchmarks.corpora import TextSet
from benchmarks.gpu.clock import Clock
from benchmarks.gpu.plan import Amounts
from benchmarks.gpu.start import started
from benchmarks.gpu.systems import CPU_FLOAT32
from benchmarks.gpu.training import PEAKS
from benchmarks.quality import is_whole, quality
from benchmarks.results import Row
from benchmarks.rounds import Run, Series, alternate
from benchmarks.systems import System
from benchmarks.translation import Job
from polyhead.errors import PolyheadError
from polyhead.interchange.export import export

EXPORTED = "huggingface"
"""The format of the peer that translates with our weights."""
WARMED_BY = 64
"""Sentences that a system translates before anything counts."""


def measure(
    stage: Stage,
    amounts: Amounts,
    test: TextSet,
    size: str,
    systems: Sequence[System],
    clock: Clock,
    model: Path,
) -> list[Row]:
    """The rows of the model in a directory."""
    stage.say(f"translation, {size}")
    folders = {".": model} | _exported(stage, model)
    with ExitStack() as running:
        contestants = started(
            stage,
            [system for system in systems if system.model in folders],
            lambda system: {
                "model": str(folders[system.model].resolve()),
                "vocabulary": str((model / "shared.spm").resolve()),
                "first": test.sources[0],
            },
            running,
        )
        rows: list[Row] = []
        for beam_size in stage.plan.beams:
            jobs = [Job(one, one.setting.batches[0], beam_size) for one in contestants]
            rows += _searched(stage, jobs, test, size, amounts.translation_rounds, clock)
        return rows


def _exported(stage: Stage, model: Path) -> dict[str, Path]:
    """The same weights in the peer's format; nothing, and a note, where that cannot hold them."""
    folder = model.with_name(f"{model.name}-{EXPORTED}")
    try:
        export(model, EXPORTED, folder)
    except PolyheadError as error:
        stage.note(f"{model.name} cannot be exported to {EXPORTED}: {error}")
        return {}
    return {EXPORTED: folder}


def _searched(stage: Stage, every: Sequence[Job], test: TextSet, size: str, rounds: int, clock: Clock) -> list[Row]:
    def turn(job: Job, sentences: Sequence[str]) -> float:
        if not clock.left():
            raise DriverError("no time was left")
        return job.throughput(sentences, clock.at_most(stage.plan.seconds))

    def whole(job: Job) -> Run:
        return lambda: turn(job, test.sources)

    jobs: dict[str, Job] = {}
    for job in every:  # what is compiled or tuned at first use is nobody's figure
        some = test.sources[:WARMED_BY]
        if stage.tried(job.contestant, lambda job=job, some=some: turn(job, some)) is not None:
            jobs[f"{job.contestant.system.name}, {job.contestant.setting.name}"] = job
    series = alternate({name: whole(job) for name, job in jobs.items()}, rounds)
    found = (job.outputs for job in jobs.values() if job.contestant.setting.name == CPU_FLOAT32)
    exact = next((outputs for outputs in found if is_whole(outputs, test)), None)
    return [row for name, job in jobs.items() for row in _rows(stage, job, series[name], test, size, exact)]


def _rows(stage: Stage, job: Job, series: Series, test: TextSet, size: str, exact: list[str] | None) -> list[Row]:
    if series.failure is not None:
        stage.note(f"translation, {size}, {job.contestant.system.name}, {job.setting}: {series.failure}")
    named: dict[str, Any] = {
        "task": "translation",
        "size": size,
        "system": job.contestant.system.name,
        "setting": job.setting,
        "data": test.name,
        "search": "greedy" if job.beam_size == 1 else f"beam {job.beam_size}",
    }
    rows = [Row(**named, measure="throughput", value=series.median, unit="sentences/s", spread=series.spread)]
    rows += [
        Row(**named, measure=PEAKS[name], value=round(float(peak), 1), unit="MiB") for name, peak in job.peaks.items()
    ]
    rows += [
        Row(**named, measure=measure, value=value, unit=unit)
        for measure, value, unit in quality(job.outputs, test, exact)
    ]
    return rows
