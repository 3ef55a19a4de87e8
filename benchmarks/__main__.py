"""`python -m benchmarks`: everything, measured in one call."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from benchmarks import bleu, floor, machine, models, train_models, training, translation
from benchmarks.contest import Stage
from benchmarks.corpora import TrainingText, dev_set, text_sets, training_text
from benchmarks.plan import FULL, QUICK, PeerName, Places, Plan, SizeName, Task, TextName
from benchmarks.report import markdown
from benchmarks.results import LATEST, Results, Row, home, merged, read, with_ratios, write
from benchmarks.systems import LEFT_OUT
from polyhead.errors import PolyheadError
from polyhead.files import write_text
from polyhead.hardware import multiplies_bfloat16

RESULTS = Path("benchmarks/results")
SEVERAL = Parameter(consume_multiple=True)
app = App(name="benchmarks", help=__doc__)


@app.default
def run(
    *,
    quick: bool = False,
    tasks: Annotated[tuple[Task, ...], SEVERAL] = (),
    sizes: Annotated[tuple[SizeName, ...], SEVERAL] = (),
    texts: Annotated[tuple[TextName, ...], SEVERAL] = (),
    peers: Annotated[tuple[PeerName, ...], SEVERAL] = (),
    threads: int | None = None,
    avx2: bool = False,
    data: Path = Path("../shared/data"),
    cache: Path = Path("build/bench"),
    environments: Path = Path("build/bench-venvs"),
    trained: Path = Path("build/bench-models"),
    out: Path | None = None,
    goal: float = 30.0,
    every: int = 200,
    minutes: float = 60.0,
) -> None:
    """Measure polyhead against its peers; results go to `benchmarks/results/latest.json` and `.md`.

    Where another machine's results stand there, they go to a folder beside them that is named by the processor.

    Parameters
    ----------
    quick
        A small part, within five minutes once the environments stand; results go to the cache folder.
    tasks
        What to do, instead of what the plan says. `models` trains what is missing of the models to translate with;
        `bleu`, the time to a dev BLEU, takes hours and has to be asked for.
    sizes
        Sizes of model, instead of the plan's: tiny, small, base.
    texts
        Test sets to translate, instead of all: multi30k, tatoeba, pydocs.
    peers
        Whom to measure against, instead of all.
    threads
        Threads that every system may use; all cores unless given.
    avx2
        Use no instructions beyond AVX2, as on an older processor; results go to a folder of their own.
    data
        The folder with the corpora.
    cache
        Where batches, exported models and logs are kept.
    environments
        Where the peers' virtual environments are made.
    trained
        The folder of trained models, named such as `multi30k-small`.
    out
        The folder for the results.
    goal
        For `bleu`: the dev BLEU to reach.
    every
        For `bleu`: updates between validations.
    minutes
        For `bleu`: training time after which a system is stopped.

    """
    plan = (QUICK if quick else FULL).limited_to(sizes, texts, peers)
    folder = out or (cache if quick else home(RESULTS, machine.describe(avx2)))
    places = Places(data, cache, environments, trained, folder)
    stage = Stage(plan, places, threads or machine.cores(), say, avx2)
    if (load := machine.load()) > 0.5:
        stage.note(f"the machine was busy with other work when this began (load {load:.1f}): figures may be too low")
    say(f"results go to {folder}")
    if peers:
        where = f" on {', '.join(texts)}" if texts else ""
        stage.note(f"against {', '.join(peers)} alone{where}: the others were not asked for")
    if not multiplies_bfloat16():
        stage.note("nothing was measured in bfloat16: oneDNN has no such products for this processor")
    stage.note("figures for GPUs are missing: none could be had to measure on, these are of processors alone")
    _measure(stage, tasks or plan.tasks, bleu.Goal(goal, every, 60 * minutes))
    if (page := _page(places.out, plan)).exists():
        print(page.read_text(encoding="utf-8"))


def _measure(stage: Stage, tasks: Sequence[Task], goal: bleu.Goal) -> None:
    """Part by part; each is written as soon as it is there."""
    text = training_text(stage.places.data, stage.places.cache)
    parts: dict[Task, Callable[[], Iterable[Sequence[Row]]]] = {
        "models": lambda: train_models.train(stage),
        "floor": lambda: [floor.measure(stage, text)],
        "training": lambda: (training.measure(stage, text, size) for size in stage.plan.training_sizes),
        "translation": lambda: _translations(stage),
        "bleu": lambda: _races(stage, text, goal),
    }
    for task, part in parts.items():
        for rows in part() if task in tasks else ():
            _keep(stage, rows)


def _translations(stage: Stage) -> Iterator[list[Row]]:
    sets = text_sets(stage.places.data, stage.plan.sentences)
    for system, reason in LEFT_OUT.items():
        stage.note(f"translation, {system}: {reason}")
    for name, size in stage.plan.translations:
        if (directory := models.find(stage, name, size)) is not None:
            yield translation.measure(stage, models.load(stage, directory), sets[name], size)


def _races(stage: Stage, text: TrainingText, goal: bleu.Goal) -> Iterator[list[Row]]:
    dev = dev_set(stage.places.data)
    for size in stage.plan.training_sizes:
        peers = stage.plan.peers or bleu.fastest_peers(_earlier(stage), size)
        yield bleu.measure(stage, text, dev, size, goal, peers)


def _keep(stage: Stage, rows: Sequence[Row]) -> None:
    """Adds rows to the results on disk, as JSON and as a page."""
    path = _table(stage.places.out, stage.plan)
    old = read(path) if path.exists() else None
    described = machine.describe(stage.avx2_alone)
    dated = tuple(replace(row, date=stage.date) for row in rows)
    new = Results(stage.plan.name, stage.date, described, stage.versions, dated, tuple(stage.notes))
    found = merged(old, new)
    kept = [row for row in found.rows if not row.measure.startswith("share of the floor")]
    found = replace(found, rows=with_ratios([*kept, *floor.with_fractions(kept)]))
    write(found, path)
    write_text(_page(stage.places.out, stage.plan), markdown(found))


def _earlier(stage: Stage) -> tuple[Row, ...]:
    path = _table(stage.places.out, stage.plan)
    return read(path).rows if path.exists() else ()


def _table(folder: Path, plan: Plan) -> Path:
    return folder / ("quick.json" if plan.name == QUICK.name else LATEST)


def _page(folder: Path, plan: Plan) -> Path:
    return _table(folder, plan).with_suffix(".md")


def say(text: str) -> None:
    """To standard error, with the time since the start."""
    print(f"{time.monotonic() - STARTED:7.1f} s  {text}", file=sys.stderr, flush=True)


STARTED = time.monotonic()

if __name__ == "__main__":
    try:
        app()
    except PolyheadError as error:
        sys.exit(f"benchmarks: {error}")
