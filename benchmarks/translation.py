"""Translation with the same trained weights: sentences a second, the wait for one sentence, quality, memory."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from benchmarks.contest import Contestant, Stage, compile_kernels
from benchmarks.corpora import TextSet
from benchmarks.models import Trained
from benchmarks.quality import bleu, chances, is_whole, quality
from benchmarks.results import Row
from benchmarks.rounds import Run, Series, alternate, steady
from benchmarks.systems import OURS, taking_part, translation_systems

PROBED = 128
"""Sentences by which settings are compared."""
PROBED_SINGLY = 6
EXACT = "plain"
"""The setting of ours, float32 without any preparation, that others' translations are compared with."""


@dataclass
class Job:
    """One system in the setting that suits one task best, and what its turns gave."""

    contestant: Contestant
    batch: int | None
    beam_size: int
    outputs: list[str] = field(default_factory=list[str])
    waits: list[float] = field(default_factory=list[float])
    """Seconds for each single sentence, of all rounds."""
    peaks: dict[str, float] = field(default_factory=dict[str, float])
    """Of a GPU's memory, in MiB, by the driver's names; nothing on a CPU."""

    def throughput(self, sentences: Sequence[str], seconds: float) -> float:
        """Sentences a second; keeps the translations."""
        answer = self.contestant.driver.ask(
            "translate", seconds, sentences=list(sentences), beam_size=self.beam_size, batch=self.batch
        )
        self.outputs = answer["outputs"]
        self.peaks = {name: float(answer[name]) for name in ("allocated_mib", "reserved_mib") if name in answer}
        return len(sentences) / float(answer["seconds"])

    def quickness(self, sentences: Sequence[str], seconds: float) -> float:
        """Single sentences a second; keeps every wait."""
        answer = self.contestant.driver.ask("one_by_one", seconds, sentences=list(sentences), beam_size=self.beam_size)
        self.waits += answer["seconds"]
        return len(sentences) / sum(answer["seconds"])

    @property
    def setting(self) -> str:
        """As the results name it."""
        batched = f", batches of {self.batch}" if self.batch else ""
        return f"{self.contestant.title}{batched}"


def measure(stage: Stage, trained: Trained, test_set: TextSet, size: str) -> list[Row]:
    """The rows of one model and one test set."""
    stage.say(f"translation, {size}, {test_set.name}")
    with ExitStack() as running:
        contestants = list(_contestants(stage, trained, test_set, running))
        rows: list[Row] = []
        for beam_size in stage.plan.beams:
            those = [one for one in contestants if one.system.takes_part(beam_size)]
            rows += _together(stage, those, test_set, size, beam_size)
            rows += _singly(stage, those, test_set, size, beam_size)
        return rows + _costs(contestants, test_set, size)


def _contestants(stage: Stage, trained: Trained, test_set: TextSet, running: ExitStack) -> Iterator[Contestant]:
    """Every system in every setting that works, or in the first one; all stay running."""
    for system in taking_part(translation_systems(stage.threads), stage.plan.peers):
        folder = trained.folder(system.model)
        if folder is None:
            continue
        request = {
            "model": str(folder.resolve()),
            "vocabulary": str((trained.directory / "shared.spm").resolve()),
            "first": test_set.sources[0],
        }
        searches = [partial(_some, stage, test_set, beam_size) for beam_size in stage.plan.beams]
        for setting in system.settings:
            compile_kernels(stage, system, setting, request, *searches)
            contestant = stage.start(system, setting, request)
            if contestant is not None:
                running.callback(contestant.driver.close)
                yield contestant
                if not stage.plan.all_settings:
                    break


def _some(stage: Stage, test_set: TextSet, beam_size: int, contestant: Contestant) -> float:
    """A few sentences."""
    return Job(contestant, None, beam_size).throughput(test_set.sources[:4], stage.plan.seconds)


def _together(
    stage: Stage, contestants: Sequence[Contestant], test_set: TextSet, size: str, beam_size: int
) -> list[Row]:
    """Throughput, BLEU, what of it is chance, and agreement with our float32."""
    probed, seconds = test_set.sources[:PROBED], stage.plan.seconds
    candidates = [
        Job(one, batch, beam_size)
        for one in contestants
        for batch in (one.setting.batches if stage.plan.all_settings else one.setting.batches[:1])
    ]
    rates = [_rate(stage, job, lambda job=job: job.throughput(probed, seconds)) for job in candidates]
    jobs = _best(candidates, rates)
    series = alternate(
        {name: lambda job=job: job.throughput(test_set.sources, seconds) for name, job in jobs.items()},
        stage.plan.rounds,
        stage.plan.budget,
    )
    exact = _exact_outputs(stage, contestants, test_set, beam_size)
    rows: list[Row] = []
    by_chance = chances({name: job.outputs for name, job in jobs.items()}, test_set)
    for name, job in jobs.items():
        named = _named(size, test_set, job)
        rows.append(_figure(named, "throughput", series[name], "sentences/s"))
        rows += [
            Row(**named, measure=measure, value=value, unit=unit)
            for measure, value, unit in quality(job.outputs, test_set, exact)
        ]
        if name in by_chance:
            rows.append(Row(**named, measure="chance of BLEU's difference", value=by_chance[name], unit="p"))
    if exact is not None and OURS in jobs and is_whole(exact, test_set):
        named = {**_named(size, test_set, jobs[OURS]), "setting": f"{EXACT}, float32"}
        rows.append(Row(**named, measure="BLEU in float32", value=round(bleu(exact, test_set), 2), unit="BLEU"))
    return rows


def _singly(stage: Stage, contestants: Sequence[Contestant], test_set: TextSet, size: str, beam_size: int) -> list[Row]:
    """How long one sentence takes: median and 95th percentile over sentences and rounds."""
    step = max(1, len(test_set.sources) // stage.plan.single_sentences)
    chosen, seconds = test_set.sources[::step][: stage.plan.single_sentences], stage.plan.seconds
    candidates = [Job(one, None, beam_size) for one in contestants]
    rates = [_rate(stage, job, lambda job=job: job.quickness(chosen[:PROBED_SINGLY], seconds)) for job in candidates]
    jobs = _best(candidates, rates)
    for job in jobs.values():
        job.waits.clear()
    series = alternate(
        {name: lambda job=job: job.quickness(chosen, seconds) for name, job in jobs.items()},
        stage.plan.rounds,
        stage.plan.budget,
    )
    rows: list[Row] = []
    for name, job in jobs.items():
        for percent in (50, 95):
            value = round(1000 * float(np.percentile(job.waits, percent)), 3) if job.waits else None
            note = series[name].failure or ""
            rows.append(
                Row(**_named(size, test_set, job), measure=f"latency p{percent}", value=value, unit="ms", note=note)
            )
    return rows


def _costs(contestants: Sequence[Contestant], test_set: TextSet, size: str) -> list[Row]:
    """Peak memory of each process and the time until it was ready; of every setting."""
    rows: list[Row] = []
    for one in contestants:
        if one.system.variant_of is not None:
            continue
        named: dict[str, Any] = {
            "task": "translation",
            "size": size,
            "system": one.system.name,
            "setting": one.title,
            "data": test_set.name,
        }
        rows.append(Row(**named, measure="peak memory", value=round(one.driver.peak_mib, 1), unit="MiB"))
        rows.append(Row(**named, measure="start to first sentence", value=round(one.ready_seconds, 3), unit="s"))
    return rows


def _best(candidates: Sequence[Job], rates: Sequence[float | None]) -> dict[str, Job]:
    """System → its fastest job."""
    found: dict[str, tuple[float, Job]] = {}
    for job, rate in zip(candidates, rates, strict=True):
        name = job.contestant.system.name
        if rate is not None and (name not in found or rate > found[name][0]):
            found[name] = (rate, job)
    return {name: job for name, (_, job) in found.items()}


def _exact_outputs(
    stage: Stage, contestants: Sequence[Contestant], test_set: TextSet, beam_size: int
) -> list[str] | None:
    """Our translations in float32, where that setting runs."""
    exact = next((one for one in contestants if (one.system.name, one.setting.name) == (OURS, EXACT)), None)
    if exact is None:
        return None
    job = Job(exact, None, beam_size)
    done = stage.tried(exact, lambda: job.throughput(test_set.sources, stage.plan.seconds))
    return job.outputs if done is not None else None


def _named(size: str, test_set: TextSet, job: Job) -> dict[str, Any]:
    return {
        "task": "translation",
        "size": size,
        "system": job.contestant.system.name,
        "setting": job.setting,
        "data": test_set.name,
        "search": "greedy" if job.beam_size == 1 else f"beam {job.beam_size}",
    }


def _figure(named: dict[str, Any], measure: str, series: Series, unit: str) -> Row:
    return Row(
        **named, measure=measure, value=series.median, unit=unit, spread=series.spread, note=series.failure or ""
    )


def _rate(stage: Stage, job: Job, run: Run) -> float | None:
    """By which settings are compared; a third of the time that training's have, as there are more of them."""
    return stage.tried(job.contestant, lambda: steady(run, stage.plan.probed / 3))
