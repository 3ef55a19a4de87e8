"""`python -m benchmarks.frontier MODEL…`: quality against speed, as figures and as a picture.

A model with a beam size is on the frontier if no other such pair is both better and faster.
"""

import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Annotated

from cyclopts import App, Parameter

from benchmarks import machine
from benchmarks.rounds import turned
from polyhead.corpora.text_lines import read_text_lines
from polyhead.errors import PolyheadError
from polyhead.evaluation.metrics import evaluate
from polyhead.files import write_text
from polyhead.inspection.canvas import Axes, new_figure, save
from polyhead.model.config import TransformerConfig
from polyhead.translating.translator import Translator

MULTI30K = Path("../shared/data/multi30k-en-de")
PLAIN, DISTILLED, INK = "#2a6fbb", "#d9762b", "#555555"
app = App(name="frontier", help=__doc__)


@dataclass(frozen=True)
class Point:
    """One model, searching with one beam size."""

    name: str
    beam: int
    """1 is greedy search."""
    layers: str
    """Encoder + decoder."""
    parameters: int
    distilled: bool
    """Whether it learnt from a teacher's translations."""
    engine: str
    bleu: float
    signature: str
    sentences_per_second: float
    """The median of all rounds."""
    spread: float
    """(fastest − slowest) / median."""


@app.default
def run(
    *models: Path,
    source: Path = MULTI30K / "test_2016_flickr.en",
    reference: Path = MULTI30K / "test_2016_flickr.de",
    beams: Annotated[tuple[int, ...], Parameter(consume_multiple=True)] = (1, 5),
    rounds: int = 5,
    out: Path = Path("benchmarks/results"),
) -> None:
    """Translate a test set with every model in turn; write `frontier.json` and `frontier.png`.

    Parameters
    ----------
    models
        Model directories.
    source
        The test set, a sentence a line.
    reference
        Its translation.
    beams
        Beam sizes; 1 is greedy search. Beams search to the end, as `polyhead translate` does.
    rounds
        How often each model translates it in every way; the median counts.
    out
        The folder for the results.

    """
    sources, references = list(read_text_lines(source)), list(read_text_lines(reference))
    points = measure(models, sources, references, beams, rounds)
    found = {"machine": machine.describe(), "source": str(source), "rounds": rounds}
    best = frontier(points)
    rows = [{**asdict(point), "on_the_frontier": point in best} for point in points]
    out.mkdir(parents=True, exist_ok=True)
    write_text(out / "frontier.json", json.dumps({**found, "models": rows}, ensure_ascii=False, indent=2) + "\n")
    picture(points, out / "frontier.png", Path(source).name)
    for point in points:
        mark = "*" if point in best else " "
        figures = f"{point.bleu:5.2f} BLEU  {point.sentences_per_second:7.1f} sentences/s"
        print(f"{mark} {figures}  beam {point.beam}  {point.layers:>5}  {point.name}")


def measure(
    models: Sequence[Path], sources: Sequence[str], references: Sequence[str], beams: Sequence[int], rounds: int
) -> list[Point]:
    """All take turns, round by round, so that whatever else the machine does falls on all of them alike."""
    translators = {directory: Translator.load(directory) for directory in models}
    ways = list(product(models, beams))
    for directory, beam in ways:
        translators[directory].translate(sources[:50], beam_size=beam)  # first calls set up more than they will need
    seconds: dict[tuple[Path, int], list[float]] = {way: [] for way in ways}
    outputs: dict[tuple[Path, int], list[str]] = {}
    for number in range(rounds):
        for way in turned(ways, number):
            directory, beam = way
            start = perf_counter()
            found = translators[directory].translate(sources, beam_size=beam)
            seconds[way].append(perf_counter() - start)
            outputs[way] = [each.text for each in found]
    return [
        _point(directory, beam, translators[directory], seconds[directory, beam], outputs[directory, beam], references)
        for directory, beam in ways
    ]


def _point(
    directory: Path,
    beam: int,
    translator: Translator,
    seconds: Sequence[float],
    outputs: Sequence[str],
    references: Sequence[str],
) -> Point:
    config = translator.config
    model = config.model
    language = next(iter(config.target_languages), None)
    (bleu,) = evaluate(outputs, references, language, metrics=("bleu",)).scores
    rates = [len(outputs) / each for each in seconds]
    middle = statistics.median(rates)
    return Point(
        name=directory.name,
        beam=beam,
        layers=f"{model.encoder_layers}+{model.decoder_layers}" if isinstance(model, TransformerConfig) else model.kind,
        parameters=sum(parameter.numel() for parameter in translator.bundle.model.parameters()),
        distilled=(directory / "distilled" / "record.json").exists(),
        engine=", ".join(str(choice) for choice in translator.choices),
        bleu=bleu.value,
        signature=bleu.signature,
        sentences_per_second=middle,
        spread=(max(rates) - min(rates)) / middle,
    )


def frontier(points: Sequence[Point]) -> list[Point]:
    """Those that no other one beats in both, the fastest first; of equals all."""

    def beaten(point: Point) -> bool:
        return any(
            other.bleu >= point.bleu
            and other.sentences_per_second >= point.sentences_per_second
            and (other.bleu, other.sentences_per_second) != (point.bleu, point.sentences_per_second)
            for other in points
        )

    return sorted((point for point in points if not beaten(point)), key=lambda point: -point.sentences_per_second)


def picture(points: Sequence[Point], path: Path, title: str) -> Path:
    """Speed to the right, quality upwards; a line for each model, a dot for each of its beams, ringed on the frontier.

    Returns the path written.
    """
    figure = new_figure(7.6, 4.6, "constrained")
    panel = figure.add_subplot()
    best, fastest = frontier(points), max(point.sentences_per_second for point in points)
    models: dict[tuple[str, str], list[Point]] = {}
    for point in sorted(points, key=lambda point: point.sentences_per_second):
        models.setdefault((point.layers, point.name), []).append(point)
    for (layers, name), some in models.items():
        colour = DISTILLED if some[0].distilled else PLAIN
        speeds, qualities = [point.sentences_per_second for point in some], [point.bleu for point in some]
        rings = [INK if point in best else "white" for point in some]
        panel.plot(speeds, qualities, color=colour, linewidth=1.2, alpha=0.5, zorder=1)
        panel.scatter(speeds, qualities, s=110, color=colour, edgecolors=rings, linewidths=1.6, zorder=2)
        for point, *place in zip(some, speeds, qualities, strict=True):
            panel.annotate(str(point.beam), place, ha="center", va="center", fontsize=7, color="white", zorder=3)
        panel.annotate(
            f"{layers}  {name}", (speeds[-1], qualities[-1]), textcoords="offset points",
            xytext=(9, 0), va="center", fontsize=8, color=INK, zorder=3,
        )  # fmt: skip
    for label, inside, ring in (
        ("trained on references", PLAIN, "white"),
        ("distilled", DISTILLED, "white"),
        ("on the frontier", "white", INK),
    ):
        panel.scatter([], [], s=70, color=inside, edgecolors=ring, linewidths=1.6, label=label)
    _frame(panel, 1.4 * fastest, f"{title}; numbers are beam sizes, 1 is greedy search")
    return save(figure, path)


def _frame(panel: Axes, width: float, title: str) -> None:
    """Axes with room for the labels beside the dots."""
    panel.set_title(title, loc="left", fontsize=11)
    panel.set_xlabel("sentences per second")
    panel.set_ylabel("BLEU")
    panel.set_xlim(0, width)
    panel.margins(y=0.2)
    panel.grid(color="#e6e6e6", linewidth=0.7)
    panel.set_axisbelow(True)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    panel.legend(frameon=False, fontsize=8, loc="best")


if __name__ == "__main__":
    try:
        app()
    except PolyheadError as error:
        sys.exit(f"frontier: {error}")
