"""The check of a GPU: it claims nothing that it has not measured, and measures ours and peers alike."""

import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import torch

from benchmarks.contest import Contestant, Stage
from benchmarks.conversation import DRIVERS, DriverError
from benchmarks.corpora import TextSet, TrainingText, amounts
from benchmarks.environments import ENVIRONMENTS, STAMP, InstallationError, own_python
from benchmarks.gpu import __main__ as command
from benchmarks.gpu import device, equality, page, systems, texts, training, translation
from benchmarks.gpu.clock import RESERVED, Clock
from benchmarks.gpu.plan import FULL, TRIAL
from benchmarks.gpu.systems import CPU_FLOAT32, training_systems, translation_systems
from benchmarks.plan import Places
from benchmarks.results import Results, Row, read
from benchmarks.systems import OURS, Setting, System
from polyhead.errors import PolyheadError

GPU = {"device": "Some GPU 80GB", "driver": "1.2.3", "cuda": "13", "torch": "2", "processor": "P", "cores": 4}
TEST = TextSet("toy", "de", ("one", "two"), ("eins zwei drei vier", "zwei"))
GOOD = equality.Outcome({"passed": 5, "failed": 0, "broken": 0, "skipped": 0}, 3.0)


@dataclass
class Pretender:
    """A driver as fast as it is told to be, with a GPU's memory."""

    speed: float
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])

    def ask(self, do: str, seconds: float = 0.0, **request: Any) -> dict[str, Any]:
        self.asked.append((do, request))
        if not self.speed:
            raise DriverError("out of memory")
        peaks = {"allocated_mib": 10.0, "reserved_mib": 20.0}
        match do:
            case "run":
                return {"tokens": 100 * request["count"], "seconds": 100 * request["count"] / self.speed, **peaks}
            case "judge":
                return {"loss": 2.0}
            case "translate":
                outputs = list(TEST.references[: len(request["sentences"])])
                return {"seconds": len(outputs) / self.speed, "outputs": outputs, **peaks}
            case _:
                return {}

    def close(self) -> None:
        """Nothing runs."""


@pytest.fixture
def speeds() -> dict[str, float]:
    """System → target tokens, or sentences, a second."""
    return {OURS: 1000.0, "Eole": 500.0, "Hugging Face": 0.0, "torch.nn.Transformer": 250.0}


@pytest.fixture
def drivers() -> list[Pretender]:
    """All that a stage has started."""
    return []


@pytest.fixture
def stage(tmp_path: Path, speeds: dict[str, float], drivers: list[Pretender], monkeypatch: pytest.MonkeyPatch) -> Stage:
    stage = Stage(FULL.plan, Places(*[tmp_path] * 5), threads=2, say=print, find=lambda *_: own_python())

    def start(system: System, setting: Setting, request: Mapping[str, Any]) -> Contestant:
        drivers.append(Pretender(speeds[system.name]))
        pretender: Any = drivers[-1]
        return Contestant(system, setting, pretender)

    monkeypatch.setattr(stage, "start", start)
    monkeypatch.setattr(stage, "python", lambda system: own_python())
    return stage


def text(tmp_path: Path) -> texts.Text:
    return texts.Text(texts.GRAMMAR, TrainingText(*[tmp_path] * 3, pieces=100), {}, TEST)


def test_without_a_gpu_it_says_so_in_a_sentence_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(PolyheadError, match="finds no CUDA device on this machine, so nothing was measured") as caught:
        command.run()
    assert len(str(caught.value)) < 300
    assert not list(tmp_path.iterdir())


def test_a_device_has_a_folder_and_a_driver_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert device.folder(Path("r"), {"device": "NVIDIA H100 80GB HBM3"}) == Path("r/nvidia-h100-80gb-hbm3")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(device, "DRIVER_FILE", tmp_path / "version")
    assert device.driver_version() == device.UNKNOWN
    (tmp_path / "version").write_text("NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Release\n")
    assert device.driver_version() == "580.159.04"
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\necho 570.1\n")
    (tmp_path / "nvidia-smi").chmod(0o755)
    assert device.driver_version() == "570.1"
    assert "no GPU" in device.describe("cpu")["device"]


def test_the_clock_keeps_time_for_writing() -> None:
    now = [100.0]
    clock = Clock(60, now=lambda: now[0])
    assert clock.at_most(10) == 10
    now[0] += 60 - RESERVED - 2
    assert clock.at_most(10) == pytest.approx(2)
    now[0] += 5
    assert clock.left() == 0
    assert clock.passed() == pytest.approx(60 - RESERVED + 3)


@pytest.mark.parametrize("name", ["cuda", "cpu"])
@pytest.mark.parametrize("bfloat16", [True, False])
def test_every_system_has_a_driver_an_environment_and_the_device(name: str, bfloat16: bool) -> None:
    trained, translated = training_systems(name, bfloat16), translation_systems(name, bfloat16, 100, 8)
    for system in (*trained, *translated):
        assert (DRIVERS / system.script).exists()
        assert system.environment is None or system.environment in systems.ITS_MODULE.keys() & ENVIRONMENTS.keys()
        for setting in system.settings:
            assert setting.name == CPU_FLOAT32 or setting.values["device"] == name
            assert bfloat16 or not {"bf16-autocast", "bfloat16"} & set(map(str, setting.values.values()))
    assert {system.name for system in trained} >= {OURS, "Eole", "Hugging Face"}
    assert translated[0].settings[0].name == CPU_FLOAT32


def test_only_what_is_installed_takes_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In its environment, or beside polyhead; nothing is fetched."""
    eole = ENVIRONMENTS["eole"]
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("something was called"))
    monkeypatch.setattr(systems, "find_spec", lambda name: None)
    with pytest.raises(InstallationError, match="--install"):
        systems.installed(eole, tmp_path, print)
    monkeypatch.setattr(systems, "find_spec", lambda name: name == "eole" or None)
    assert systems.installed(eole, tmp_path, print) == own_python()
    python = tmp_path / "eole" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    (tmp_path / "eole" / STAMP).write_text(json.dumps([eole.alone, eole.packages]), encoding="utf-8")
    assert systems.installed(eole, tmp_path, print) == python


def test_all_train_for_the_same_time_and_tell_their_memory(
    stage: Stage, drivers: list[Pretender], speeds: dict[str, float], tmp_path: Path
) -> None:
    rows = training.measure(
        stage, FULL, text(tmp_path), "tiny", training_systems("cuda", True), Clock(480), tmp_path / "saved"
    )
    found = {(row.system, row.measure): row for row in rows}
    assert found[OURS, "throughput"].value == pytest.approx(1000)
    assert found["Eole", "throughput"].ratio == pytest.approx(2)
    assert found["Eole", "peak device memory, allocated"].value == 10
    assert found["Eole", "peak device memory, reserved"].value == 20
    assert found["Eole", "loss after these updates"].ratio is None
    plan = FULL.plan
    done = [plan.warm_up + plan.updates + plan.rounds * round(FULL.training_seconds / 12 / 0.1 * x) for x in (1, 0.5)]
    assert [found[name, "updates done"].value for name in (OURS, "Eole")] == done
    assert ("Hugging Face", "throughput") not in found
    assert any(note == "Hugging Face, bf16 autocast: out of memory" for note in stage.notes)
    (ours,) = [each for each in drivers if each.speed == speeds[OURS]]  # they are started side by side
    assert ("save", {"directory": str((tmp_path / "saved").resolve())}) in ours.asked


def test_nothing_is_begun_when_the_time_is_up(stage: Stage, drivers: list[Pretender], tmp_path: Path) -> None:
    over = Clock(0)
    assert not training.measure(stage, FULL, text(tmp_path), "tiny", training_systems("cuda", True), over, tmp_path)
    assert "polyhead, auto: no time was left" in stage.notes
    assert not any(do == "run" for each in drivers for do, _ in each.asked)


def test_translations_are_set_against_the_cpus(
    stage: Stage, speeds: dict[str, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translation, "export", lambda model, to, out: None)
    speeds["Hugging Face"] = 50.0
    rows = translation.measure(
        stage, FULL, TEST, "tiny", translation_systems("cuda", True, 100, 8), Clock(480), tmp_path / "tiny"
    )
    found = {(row.system, row.setting, row.search, row.measure): row.value for row in rows}
    settings = {(system, setting) for system, setting, _, _ in found}
    assert settings == {
        (OURS, CPU_FLOAT32),
        (OURS, "plain model, bfloat16"),
        (OURS, "plain model, float32"),
        ("Hugging Face", "bfloat16, batches of 8"),
    }
    for search in ("greedy", "beam 5"):
        assert found["Hugging Face", "bfloat16, batches of 8", search, "throughput"] == pytest.approx(50)
        assert found[OURS, "plain model, float32", search, "as polyhead in float32"] == 100
        assert found[OURS, "plain model, float32", search, "peak device memory, allocated"] == 10


def junit(*cases: str) -> ET.Element:
    bodies = {"passed": "", "failure": "<failure/>", "error": "<error/>", "skipped": "<skipped/>"}
    tests = "".join(f'<testcase classname="c" name="{name}">{bodies[name]}</testcase>' for name in cases)
    counted = {name: cases.count(name) for name in ("failure", "error", "skipped")}
    numbers = f'tests="{len(cases)}" failures="{counted["failure"]}" errors="{counted["error"]}"'
    return ET.fromstring(f'<t><testsuite {numbers} skipped="{counted["skipped"]}" time="2.5">{tests}</testsuite></t>')


@pytest.mark.parametrize(
    ("cases", "good"),
    [
        (("passed", "passed"), True),
        (("passed", "failure"), False),
        (("passed", "error"), False),
        (("passed", "skipped"), False),
        (("skipped",), False),
        ((), False),
    ],
)
def test_equality_is_claimed_only_where_all_tests_were_run_and_passed(cases: tuple[str, ...], good: bool) -> None:
    outcome = equality.outcome(junit(*cases))
    assert outcome.is_good == good
    assert outcome.counts["passed"] == cases.count("passed")
    assert sum(row.value or 0 for row in outcome.rows()) == len(cases)
    assert any("c::failure" in problem for problem in outcome.problems) == ("failure" in cases)


def test_tests_that_take_too_long_or_cannot_be_run_are_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not equality.run("cpu", tmp_path / "slow.xml", 0.01).is_good
    monkeypatch.setattr(equality, "FILES", ("tests/no_such_file.py",))
    outcome = equality.run("cpu", tmp_path / "none.xml", 60)
    assert not outcome.is_good
    assert outcome.problems


def test_all_files_with_tests_of_gpus_are_run() -> None:
    found = {
        str(path.relative_to(equality.ROOT))
        for path in (equality.ROOT / "tests").rglob("test_*.py")
        if re.search("^from tests.devices import .*on_any_device", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert found - {"tests/benchmarks/test_gpu.py"} == set(equality.FILES)


def results(machine: Mapping[str, Any], *rows: Row, notes: tuple[str, ...] = ()) -> Results:
    return Results("gpu", "2026-01-01 00:00 UTC", dict(machine), {OURS: {"torch": "2"}}, rows, notes)


def test_the_page_names_the_device_and_what_is_missing() -> None:
    rows = [
        Row("training", size, "throughput", system, "auto", value, "target tokens/s", ratio=ratio)
        for size in ("tiny", "base")
        for system, value, ratio in ((OURS, 200.0, 1.0), ("Eole", 100.0, 2.0))
    ]
    written = page.markdown(results(GPU, *rows, notes=("Hugging Face is missing",)), GOOD)
    for said in ("# On a GPU", "| device | Some GPU 80GB |", "| driver | 1.2.3 |", "All passed: 5 passed"):
        assert said in written
    assert "| Eole | auto | 100.0 (2.00×) | 100.0 (2.00×) |" in written
    assert "- Hugging Face is missing" in written
    assert "trial" not in written


@pytest.mark.parametrize("outcome", [None, replace(GOOD, problems=("equality test failed: x",))])
def test_a_page_claims_no_equality_that_was_not_shown(outcome: equality.Outcome | None) -> None:
    written = page.markdown(results(GPU), outcome)
    assert "All passed" not in written
    assert ("They were not run." if outcome is None else "NOT ALL PASSED") in written


def test_a_trial_is_no_result_of_a_gpu() -> None:
    written = page.markdown(results(device.describe("cpu")), GOOD)
    assert written.startswith("# A trial on a CPU\n")
    assert page.TRIAL in written


def test_text_is_made_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    little = replace(TRIAL, pairs=300)
    made = texts.prepare(tmp_path / "nowhere", tmp_path / "cache", little)
    assert made.corpus is texts.GRAMMAR
    assert len(made.test.sources) == len(made.test.references) == little.plan.sentences
    assert sum(each.sentences for each in amounts(made.training.batches)) == 300
    assert sum(each.sentences for each in amounts(made.training.judged)) == little.judged_sentences
    folder = tmp_path / "data" / texts.MULTI30K.folder
    folder.mkdir(parents=True)
    for source in (tmp_path / "cache" / "grammar-en-fr-300").iterdir():
        split, language = source.name.split(".")
        names = {"train": "train", "dev": "val", "test": "test_2016_flickr"}
        (folder / f"{names[split]}.{'de' if language == 'fr' else 'en'}").write_text(source.read_text())
    small = replace(texts.MULTI30K, vocabulary=1_000)
    monkeypatch.setattr(texts, "MULTI30K", small)
    assert texts.prepare(tmp_path / "data", tmp_path / "other", little).corpus is small


@pytest.mark.parametrize(("measured", "good"), [(True, True), (False, False)])
def test_it_ends_well_only_where_ours_was_measured(
    stage: Stage, measured: bool, good: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows(task: str, count: int) -> list[Row]:
        value = 1.0 if measured else None
        return [Row(task, "tiny", "throughput", OURS, str(number), value, "x/s") for number in range(count)]

    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "model.safetensors").touch()
    monkeypatch.setattr(command.shutil, "rmtree", lambda *_, **__: None)
    monkeypatch.setattr(command.equality, "run", lambda *_: GOOD)
    monkeypatch.setattr(command.texts, "prepare", lambda *_: text(tmp_path))
    monkeypatch.setattr(command.training, "measure", lambda *_: rows("training", 1))
    monkeypatch.setattr(command.translation, "measure", lambda *_: rows("translation", 4))
    stage.plan = replace(stage.plan, training_sizes=("tiny",))
    call = command.Call(stage, FULL, dict(GPU), "cuda", Clock(480))
    assert call.run() == good
    written = read(tmp_path / "latest.json")
    assert written.machine["driver"] == "1.2.3"
    assert len(written.rows) == 4 + 5
    assert "Some GPU 80GB" in call.page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_whole_command_can_be_tried_on_a_cpu(tmp_path: Path) -> None:
    asked = [own_python(), "-m", "benchmarks.gpu", "--device", "cpu", "--quick", "--peers", "torch.nn.Transformer"]
    places = ["--data", tmp_path / "nowhere", "--cache", tmp_path, "--environments", tmp_path]
    done = subprocess.run([*asked, *places], capture_output=True, text=True, check=False, cwd=equality.ROOT)
    assert done.returncode == 0, done.stderr
    assert page.TRIAL in (tmp_path / "latest.md").read_text(encoding="utf-8")
    found = {(row.task, row.system) for row in read(tmp_path / "latest.json").rows}
    assert {("training", OURS), ("training", "torch.nn.Transformer"), ("translation", OURS)} <= found
