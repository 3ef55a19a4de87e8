"""`python -m benchmarks.defaults`: what the defaults give on corpora of many sizes, and what other settings would.

Each training is the bare command, `polyhead train --source … --target …`, with a setting's keys behind it; the model is
judged on text that the training does not see. What was measured before is kept, so that it can be done bit by bit.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, cast

import torch
from cyclopts import App, Parameter

from benchmarks import machine
from benchmarks.candidates import CANDIDATES, FORMER, Keys, former
from benchmarks.cells import Cell, Files, cells, files
from benchmarks.metrics import metrics_of
from polyhead.corpora.text_lines import read_text_lines
from polyhead.data.readers import LinesConfig, read
from polyhead.data.statistics import CorpusStatistics
from polyhead.errors import PolyheadError
from polyhead.evaluation.metrics import evaluate
from polyhead.files import write_text
from polyhead.recipe.defaults import complete
from polyhead.recipe.load import parse_keys
from polyhead.recipe.record import read_record
from polyhead.translating.translator import Translator

QUICK = ("captions-1000:en-de", "talk-1000:en-fr", "grammar-fr-3000:en-fr")
"""Cells of minutes."""
Words = Annotated[tuple[str, ...], Parameter(consume_multiple=True)]
app = App(name="defaults", help=__doc__)


@dataclass(frozen=True)
class Trial:
    """One training."""

    cell: str
    setting: str
    seed: int
    keys: Keys
    """The setting's keys for this corpus."""
    chosen: Keys
    """What the rules choose beside them, but for what the number of cores decides."""


@dataclass(frozen=True)
class Result(Trial):
    """One training and what came of it."""

    bleu: float
    chrf: float
    updates: int
    announced: int
    """Updates after which the run was to end at the latest, as said at its beginning."""
    minutes: float
    processor: str
    threads: int


@app.default
def run(
    *,
    cell: Words = (),
    setting: Words = ("default",),
    seed: Annotated[tuple[int, ...], Parameter(consume_multiple=True)] = (1,),
    quick: bool = False,
    data: Path = Path("../shared/data"),
    out: Path = Path("benchmarks/results/defaults.json"),
    cache: Path = Path("build/defaults"),
) -> None:
    """Measure what has not been measured yet with what the rules choose now, and print the table.

    Parameters
    ----------
    cell
        Corpora, as `captions-3000:en-de`; all are listed by `--cell list`. None: all of them.
    setting
        Settings by name, as `default` or `dropout 0.1`; `all` for all of them.
    seed
        Seeds of the trainings.
    quick
        Only three small corpora.
    data
        The folder of corpora.
    out
        The file of results, which are added to.
    cache
        Where the cut corpora are kept.

    """
    known = {str(each): each for each in cells()}
    if cell == ("list",):
        print("\n".join(known))
        return
    names = cell or (QUICK if quick else tuple(known))
    settings = (*CANDIDATES, FORMER) if setting == ("all",) else setting
    if unknown := [*(set(names) - known.keys()), *(set(settings) - {*CANDIDATES, FORMER})]:
        sys.exit(f"defaults: there is no {unknown[0]!r}; --cell list names the corpora, CANDIDATES the settings")
    results = {(result.cell, result.setting, result.seed): result for result in _read(out)}
    for name in names:
        text = files(known[name], data, cache)
        corpus = CorpusStatistics.of(list(read(LinesConfig(source=text.train[0], target=text.train[1]))))
        for each in settings:
            keys, chosen = keys_of(known[name], each, corpus)
            for number in seed:
                place = name, each, number
                before = results.get(place)
                if before is None or (before.keys, before.chosen) != (keys, chosen):
                    results[place] = found = measure(Trial(*place, keys, chosen), known[name], text)
                    write_text(out, json.dumps([asdict(result) for result in results.values()], indent=1) + "\n")
                    print(f"{name}  {each}  seed {number}: {_figures(found)}", file=sys.stderr, flush=True)
    asked = [each for each in results.values() if each.cell in names and each.setting in settings]
    print("\n".join(table(asked)))


def keys_of(cell: Cell, setting: str, corpus: CorpusStatistics) -> tuple[Keys, Keys]:
    """A setting's keys for a corpus, and what the rules choose beside them."""

    def chosen(keys: Keys) -> Keys:
        given = parse_keys(words_of(keys))
        return {choice.key: choice.value for choice in complete(given, corpus, torch.device("cpu"), threads=1)[1]}

    keys = former(cell.size) if setting == FORMER else CANDIDATES[setting](chosen({}))
    return keys, chosen(keys)


def measure(trial: Trial, cell: Cell, text: Files) -> Result:
    """Trains and judges once."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model")
        source, target = map(str, text.train)
        command = [sys.executable, "-m", "polyhead", "train", "--source", source, "--target", target]
        start = perf_counter()
        subprocess.run([*command, "--out", str(model), "--seed", str(trial.seed), *words_of(trial.keys)], check=True)
        seconds = perf_counter() - start
        bleu, chrf = judge(model, text, cell.target)
        updates, announced = _updates(model), read_record(model)["training"]["max_updates"]
    described = machine.describe()
    processor = f"{described['processor']} {described['family']}"
    return Result(
        **vars(trial),
        bleu=round(bleu, 2),
        chrf=round(chrf, 2),
        updates=updates,
        announced=announced,
        minutes=round(seconds / 60, 2),
        processor=processor,
        threads=torch.get_num_threads(),
    )


def words_of(keys: Keys) -> list[str]:
    """The keys as the command takes them: true and false as TOML has them, any other value as it is."""
    values = [str(value).lower() if isinstance(value, bool) else str(value) for value in keys.values()]
    return [word for key, value in zip(keys, values, strict=True) for word in (f"--{key}", value)]


def judge(model: Path, text: Files, language: str) -> tuple[float, float]:
    """BLEU and chrF on the text held out, as the model translates unless asked otherwise."""
    sources, references = (list(read_text_lines(path)) for path in text.dev)
    outputs = [found.text for found in Translator.load(model).translate(sources)]
    scores = evaluate(outputs, references, language, metrics=("bleu", "chrf"))
    return scores["bleu"].value, scores["chrf"].value


def table(results: list[Result]) -> Iterator[str]:
    """A line for each corpus and setting, the mean over the seeds, best settings first."""
    yield "| corpus | setting | seeds | BLEU | chrF | updates | minutes |"
    yield "|---|---|---|---|---|---|---|"
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        groups.setdefault((result.cell, result.setting), []).append(result)
    order = {str(cell): place for place, cell in enumerate(cells())}

    def mean(some: list[Result], name: str) -> float:
        return sum(getattr(result, name) for result in some) / len(some)

    rows = sorted(groups.items(), key=lambda group: (order[group[0][0]], -mean(group[1], "bleu")))
    for (cell, setting), some in rows:
        numbers = f"{mean(some, 'bleu'):.1f} | {mean(some, 'chrf'):.1f} | {mean(some, 'updates'):,.0f}"
        yield f"| {cell} | {setting} | {len(some)} | {numbers} | {mean(some, 'minutes'):.1f} |"


def _figures(result: Result) -> str:
    return f"BLEU {result.bleu}, {result.updates} updates of {result.announced}, {result.minutes} min"


def _updates(model: Path) -> int:
    return max(int(line["update"]) for line in metrics_of(model))


def _read(path: Path) -> list[Result]:
    if not path.exists():
        return []
    return [Result(**row) for row in cast(list[dict[str, Any]], json.loads(path.read_text(encoding="utf-8")))]


if __name__ == "__main__":
    try:
        app()
    except (PolyheadError, subprocess.CalledProcessError) as error:
        sys.exit(f"defaults: {error}")
