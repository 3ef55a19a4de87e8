"""`python -m benchmarks.gpu`: whether a GPU computes what the CPU does, and how fast, in one call."""

import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from benchmarks import machine
from benchmarks.contest import Stage
from benchmarks.environments import ENVIRONMENTS, InstallationError, python_of
from benchmarks.gpu import device, equality, texts, training, translation
from benchmarks.gpu.clock import Clock
from benchmarks.gpu.page import markdown
from benchmarks.gpu.plan import FULL, TRIAL, Amounts
from benchmarks.gpu.systems import ITS_MODULE, installed, training_systems, translation_systems
from benchmarks.plan import PeerName, Places, SizeName
from benchmarks.results import LATEST, Results, Row, write
from benchmarks.systems import OURS, System
from polyhead.errors import PolyheadError
from polyhead.files import write_text

RESULTS = Path("benchmarks/results")
SEVERAL = Parameter(consume_multiple=True)
app = App(name="benchmarks.gpu", help=__doc__)


@app.default
def run(
    *,
    device_: Annotated[Literal["cuda", "cpu"], Parameter(name="--device")] = "cuda",
    quick: bool = False,
    sizes: Annotated[tuple[SizeName, ...], SEVERAL] = (),
    peers: Annotated[tuple[PeerName, ...], SEVERAL] = (),
    install: bool = False,
    data: Path = Path("../shared/data"),
    cache: Path = Path("build/bench-gpu"),
    environments: Path = Path("build/bench-venvs"),
) -> None:
    """Test, train and translate on a GPU within eight minutes; results go to `benchmarks/results/NAME-OF-THE-GPU/`.

    Ends with status 0 where all equality tests passed and polyhead was measured, else with 1. Peers that aren't
    installed are named as missing. Where there is no GPU nothing is written.

    Parameters
    ----------
    device_
        "cpu" tries the command where there is no GPU: its page, in the cache folder, says that it is none of a GPU.
    quick
        As little as shows that the command works; results go to the cache folder.
    sizes
        Sizes of model, instead of tiny and base.
    peers
        Whom to measure against, instead of all that are installed.
    install
        First make the environments of peers that are missing, which takes a network and minutes; they stay.
    data
        The folder with the corpora. Without Multi30k there the text is that of the demo's grammar.
    cache
        Where text, batches, models and logs are kept.
    environments
        Where the peers' virtual environments are.

    """
    device.check(device_)
    amounts = TRIAL if quick else FULL
    described = machine.describe() | device.describe(device_) | {"command": _command()}
    out = cache if quick or device_ == "cpu" else device.folder(RESULTS, described)
    plan = amounts.plan.limited_to(sizes, (), peers)
    places = Places(data, cache, environments, cache / "models", out)
    stage = Stage(plan, places, machine.cores(), say, find=installed)
    if install:
        _install(stage)
    call = Call(stage, amounts, described, device_, Clock(60 * amounts.minutes))
    say(f"results go to {out}")
    good = call.run()
    print(call.page.read_text(encoding="utf-8"))
    if not good:
        raise SystemExit(1)


@dataclass
class Call:
    """One call: its parts one after the other, each written as soon as it is there."""

    stage: Stage
    amounts: Amounts
    machine: dict[str, object]
    device: str
    clock: Clock
    outcome: equality.Outcome | None = None
    rows: list[Row] = field(default_factory=list[Row])

    @property
    def page(self) -> Path:
        """Where the results are to be read."""
        return (self.stage.places.out / LATEST).with_suffix(".md")

    def run(self) -> bool:
        """→ whether all tests passed and ours was measured in every part."""
        places, plan = self.stage.places, self.stage.plan
        self.stage.say("equality tests")
        seconds = self.clock.at_most(self.amounts.equality_seconds)
        self.outcome = equality.run(self.device, places.cache / "equality.xml", seconds)
        for problem in self.outcome.problems:
            self.stage.note(problem)
        self._write()
        shutil.rmtree(places.models, ignore_errors=True)
        text = texts.prepare(places.data, places.cache, self.amounts)
        if text.corpus is texts.GRAMMAR:
            self.stage.note(f"{places.data} has no Multi30k: the text is that of the demo's grammar")
        bfloat16 = device.has_bfloat16(self.device)
        for size in plan.training_sizes:
            self._add(self._train(text, size, bfloat16))
        for size in plan.training_sizes:
            self._add(self._translate(text, size, bfloat16))
        return self.outcome.is_good and all(self._is_measured(size) for size in plan.training_sizes)

    def _train(self, text: texts.Text, size: str, bfloat16: bool) -> list[Row]:
        systems = self._taking_part(training_systems(self.device, bfloat16))
        save = self.stage.places.models / size
        return training.measure(self.stage, self.amounts, text, size, systems, self.clock, save)

    def _translate(self, text: texts.Text, size: str, bfloat16: bool) -> list[Row]:
        model = self.stage.places.models / size
        if not (model / "model.safetensors").exists():
            self.stage.note(f"translation, {size}: no model was trained")
            return []
        amounts = self.amounts
        systems = translation_systems(self.device, bfloat16, amounts.translation_tokens, amounts.translation_sentences)
        taking_part = self._taking_part(systems)
        return translation.measure(self.stage, amounts, text.test, size, taking_part, self.clock, model)

    def _taking_part(self, systems: Sequence[System]) -> tuple[System, ...]:
        """Ours, and the peers that were asked for, or all."""
        peers = self.stage.plan.peers
        return tuple(each for each in systems if each.name == OURS or not peers or each.name in peers)

    def _is_measured(self, size: str) -> bool:
        """Whether there is a speed of ours in training, and one on this device for each search."""
        found = [row for row in self.rows if row.size == size and row.system == OURS and row.measure == "throughput"]
        there = [row for row in found if row.value is not None]
        return len(found) == len(there) > len(self.stage.plan.beams)

    def _add(self, rows: Sequence[Row]) -> None:
        self.rows += [replace(row, date=self.stage.date) for row in rows]
        self._write()

    def _write(self) -> None:
        stage = self.stage
        rows = (*(self.outcome.rows() if self.outcome else ()), *self.rows)
        machine = self.machine | {"seconds": round(self.clock.passed())}
        results = Results(stage.plan.name, stage.date, machine, stage.versions, rows, tuple(stage.notes))
        write(results, stage.places.out / LATEST)
        write_text(self.page, markdown(results, self.outcome))


def _install(stage: Stage) -> None:
    """Makes the environments that are missing; a note where one cannot be made."""
    for name in ITS_MODULE:
        try:
            python_of(ENVIRONMENTS[name], stage.places.environments, stage.say)
        except InstallationError as error:
            stage.note(f"the environment {name} cannot be made: {error}")


def _command() -> str:
    return shlex.join(["python", "-m", "benchmarks.gpu", *sys.argv[1:]])


def say(text: str) -> None:
    """To standard error."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        app()
    except PolyheadError as error:
        sys.exit(f"benchmarks.gpu: {error}")
