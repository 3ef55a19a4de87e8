"""Training and translation measured with systems that only pretend: which rows come out, and whose settings win."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import systems, training, translation
from benchmarks.contest import Contestant, Stage
from benchmarks.conversation import DriverError
from benchmarks.corpora import TextSet, TrainingText
from benchmarks.models import Trained
from benchmarks.plan import FULL, Places
from benchmarks.systems import OURS, Setting, System, translation_systems

TEXT = TrainingText(Path("v"), Path("b"), Path("j"), pieces=100)
TEST_SET = TextSet("multi30k", "de", ("one", "two", "three"), ("eins zwei drei vier", "zwei", "drei"))


@dataclass
class Pretender:
    """A driver whose speed is its setting's place in this table: a second for each so many tokens or sentences."""

    system: System
    setting: Setting
    asked: list[str] = field(default_factory=list[str])
    peak_mib: float = 50.0
    closed: bool = False

    @property
    def speed(self) -> float:
        return SPEEDS.get((self.system.name, self.setting.name), 1.0)

    def ask(self, do: str, seconds: float = 0.0, **request: Any) -> dict[str, Any]:
        self.asked.append(do)
        if self.speed == 0:
            raise DriverError("out of memory")
        match do:
            case "run":
                return {"tokens": 100 * request["count"], "seconds": 100 * request["count"] / self.speed}
            case "judge":
                self.peak_mib = 900.0
                return {"loss": 2.0}
            case "translate":
                outputs = list(TEST_SET.references[: len(request["sentences"])])
                return {"seconds": len(outputs) / self.speed, "outputs": outputs}
            case _:
                return {"seconds": [1 / self.speed] * len(request["sentences"])}

    def close(self) -> None:
        self.closed = True


SPEEDS = {
    (OURS, "auto"): 40.0,
    (OURS, "float32"): 20.0,
    ("Eole", "bf16 autocast"): 5.0,
    ("Eole", "float32"): 8.0,
    ("Sockeye", "float32"): 0.0,
    ("CTranslate2", "int8, 1 × 2 threads"): 10.0,
}


@pytest.fixture
def started() -> list[Contestant]:
    """All that a stage has started, in order."""
    return []


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, started: list[Contestant]) -> Stage:
    stage = Stage(replace(FULL, beams=(1,), probed=0.0), Places(*[tmp_path] * 5), threads=2, say=print)

    def start(system: System, setting: Setting, request: Mapping[str, Any]) -> Contestant:
        started.append(Contestant(system, setting, Pretender(system, setting), {}, ready_seconds=1.5))
        return started[-1]

    monkeypatch.setattr(stage, "start", start)
    monkeypatch.setattr(systems, "multiplies_bfloat16", lambda: True)
    return stage


def test_training_shows_every_system_in_its_best_setting(stage: Stage) -> None:
    rows = {row.system: row for row in training.measure(stage, TEXT, "tiny") if row.measure == "throughput"}
    assert (rows[OURS].setting, rows[OURS].value) == ("auto", 40.0)
    assert (rows["Eole"].setting, rows["Eole"].value) == ("float32", 8.0)
    assert {row.unit for row in rows.values()} == {"target tokens/s"}


def test_peak_memory_is_that_of_training_not_of_judging(stage: Stage) -> None:
    rows = {row.system: row for row in training.measure(stage, TEXT, "tiny") if row.measure == "peak memory"}
    assert rows[OURS].value == 50.0


def test_a_setting_that_fails_leaves_the_others(stage: Stage) -> None:
    rows = {row.system: row for row in training.measure(stage, TEXT, "tiny") if row.measure == "throughput"}
    assert rows["Sockeye"].setting != "float32"
    assert any("Sockeye, float32: out of memory" in note for note in stage.notes)


def test_marian_is_not_asked_how_well_it_has_learnt(stage: Stage) -> None:
    judged = {row.system for row in training.measure(stage, TEXT, "tiny") if row.measure.startswith("loss")}
    assert OURS in judged
    assert "pymarian" not in judged


def test_translation_has_rows_for_everything_that_is_asked(stage: Stage) -> None:
    config: Any = None
    trained = Trained(Path("model"), config, {"ctranslate2": Path("exported")})
    rows = translation.measure(stage, trained, TEST_SET, "small")
    measures = {row.measure for row in rows if row.system == "CTranslate2"}
    assert measures == {
        "throughput",
        "BLEU",
        "chance of BLEU's difference",
        "as polyhead in float32",
        "latency p50",
        "latency p95",
        "peak memory",
        "start to first sentence",
    }
    best = next(row for row in rows if (row.system, row.measure) == ("CTranslate2", "throughput"))
    assert (best.setting, best.value, best.search) == ("int8, 1 × 2 threads, batches of 64", 10.0, "greedy")
    wait = next(row for row in rows if (row.system, row.measure) == ("CTranslate2", "latency p50"))
    assert (wait.value, wait.unit) == (100.0, "ms")
    assert "Hugging Face" not in {row.system for row in rows}  # it has no weights in its format
    exact = {row.system: row.value for row in rows if row.measure == "BLEU in float32"}
    assert exact == {OURS: pytest.approx(100)}
    chances = {row.system: row.value for row in rows if row.unit == "p"}
    assert chances["CTranslate2"] == 1.0
    assert OURS not in chances


def drivers_of_ours(started: list[Contestant]) -> list[Pretender]:
    """In the setting `auto`, in the order in which they began."""
    ours = [one.driver for one in started if (one.system.name, one.setting.name) == (OURS, "auto")]
    return [driver for driver in ours if isinstance(driver, Pretender)]


def test_our_kernels_are_compiled_before_anything_counts(stage: Stage, started: list[Contestant]) -> None:
    config: Any = None
    translation.measure(stage, Trained(Path("model"), config, {}), TEST_SET, "small")
    first, measured = drivers_of_ours(started)
    assert first.closed
    assert "one_by_one" not in first.asked
    assert "one_by_one" in measured.asked


def test_training_keeps_no_compiler_in_memory(stage: Stage, started: list[Contestant]) -> None:
    training.measure(stage, TEXT, "tiny")
    first, measured = drivers_of_ours(started)
    assert first.closed
    assert "judge" not in first.asked
    assert "judge" in measured.asked
    assert len([one for one in started if (one.system.name, one.setting.name) == ("Eole", "float32")]) == 1


def test_a_variant_shows_its_beam_search_alone(stage: Stage) -> None:
    stage.plan = replace(stage.plan, beams=(1, 5))
    config: Any = None
    rows = translation.measure(stage, Trained(Path("model"), config, {}), TEST_SET, "small")
    (variant,) = (system for system in translation_systems(2) if system.variant_of is not None)
    assert variant.variant_of == OURS
    assert {row.search for row in rows if row.system == variant.name} == {"beam 5"}
    assert {row.search for row in rows if row.system == OURS} == {"greedy", "beam 5", ""}


def test_a_quick_plan_tries_the_first_setting_alone(stage: Stage) -> None:
    stage.plan = replace(stage.plan, all_settings=False)
    config: Any = None
    rows = translation.measure(stage, Trained(Path("model"), config, {}), TEST_SET, "small")
    ours = translation_systems(2)[0]
    assert {row.setting for row in rows if row.system == OURS} == {ours.settings[0].name}
