"""`python -m benchmarks.scaling.curves`: a training by 1, 2 and 4 workers and processes, compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np
import tomli_w
from cyclopts import App
from numpy.typing import NDArray

from benchmarks.cells import Cell, files
from benchmarks.metrics import metrics_of
from benchmarks.scaling import measure
from benchmarks.scaling.report import Table, written
from polyhead.inspection.canvas import new_figure, save

CELL = Cell("grammar-fr", 3_000, "en", "fr")
UPDATES = 300
UNTIL = (20, 50, 100, 200, 300)
"""Updates up to which the largest difference is said."""
Losses: TypeAlias = NDArray[np.float64]
"""[updates] the mean loss of a target token, in nats."""
app = App(name="curves", help=__doc__)


@dataclass(frozen=True)
class Way:
    """How a training is computed."""

    processes: int
    workers: int
    """Of each process."""

    def __str__(self) -> str:
        each = f"{self.workers} worker{'s' if self.workers > 1 else ''}"
        return f"1 process, {each}" if self.processes == 1 else f"{self.processes} processes, {each} each"


WAYS = (Way(1, 1), Way(1, 2), Way(1, 4), Way(2, 1), Way(4, 1))
"""The first is what the others are compared with."""


@app.default
def run(
    *,
    cache: Path = Path("build/scaling"),
    picture: Path = Path("benchmarks/results/curves.png"),
    updates: int = UPDATES,
) -> None:
    """Train in every way (a few minutes), print the largest differences of losses, and draw the curves.

    Parameters
    ----------
    cache
        Where the generated text goes.
    picture
        Where the picture goes.
    updates
        How long to train.

    """
    found = [losses(way, cache, updates) for way in WAYS]
    print(written(differences(found)))
    draw(found, picture)


def losses(way: Way, cache: Path, updates: int) -> Losses:
    """Trains a small model in float32, without dropout. Raises RuntimeError where that fails."""
    with TemporaryDirectory() as folder:
        recipe = Path(folder) / "recipe.toml"
        recipe.write_text(tomli_w.dumps(_recipe(way, cache, Path(folder), updates)), encoding="utf-8")
        measure.run([*measure.launcher(way.processes), "-m", "polyhead", "train", str(recipe)], Path(folder) / "said")
        return np.array([line["loss"] for line in metrics_of(Path(folder) / "model") if "target_tokens" in line])


def differences(found: Sequence[Losses]) -> Table:
    """For each way the largest difference from the first one's loss, up to some updates."""
    until = [last for last in UNTIL if last <= len(found[0])]
    rows: Table = [("", *(f"1–{last}" for last in until))]
    for way, curve in list(zip(WAYS, found, strict=True))[1:]:
        apart = np.abs(curve - found[0])
        rows.append((str(way), *(f"{apart[:last].max():.2g}" for last in until)))
    return rows


def draw(found: Sequence[Losses], path: Path) -> None:
    """The losses above, their differences from the first below; what is equal to the bit is not drawn there."""
    figure = new_figure(7.6, 5.2, "constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    for number, (way, curve) in enumerate(zip(WAYS, found, strict=True)):
        places = np.arange(1, len(curve) + 1)
        above.plot(places, curve, linewidth=5.0 - 0.9 * number, alpha=0.75, label=str(way))
        if number:
            apart = np.abs(curve - found[0])
            below.plot(places, np.where(apart > 0, apart, np.nan), ".", markersize=3, color=f"C{number}")
    above.set_ylabel("loss of an update, nats")
    above.legend(frameon=False, fontsize=8)
    below.set_yscale("log")
    below.set_ylabel("difference from one worker")
    below.set_xlabel("update")
    for panel in (above, below):
        panel.grid(color="#e6e6e6", linewidth=0.7)
        panel.spines[["top", "right"]].set_visible(False)
    save(figure, path)


def _recipe(way: Way, cache: Path, directory: Path, updates: int) -> dict[str, Any]:
    text = files(CELL, Path(), cache.resolve())
    train, dev = ([{"kind": "lines", "source": str(a), "target": str(b)}] for a, b in (text.train, text.dev))
    return {
        "out": str(directory / "model"),
        "threads": way.workers,
        "data": {"train": train, "dev": dev, "batching": {"max_tokens": 2_048}},
        "tokenizer": {"vocabulary_size": 1_000},
        "model": {
            "encoder_layers": 2,
            "decoder_layers": 2,
            "d_model": 64,
            "d_ff": 256,
            "num_heads": 4,
            "dropout": 0.0,
        },
        "training": {
            "max_updates": updates,
            "validate_every": updates,
            "log_every": 1,
            "metric": "dev_loss",
            "precision": "float32",
            "workers": way.workers,
            "optimizer": {"kind": "muon"},
            "schedule": {"kind": "inverse-sqrt", "learning_rate": 4e-3, "warmup": 50},
            "averaging": {"kind": "none"},
        },
    }


if __name__ == "__main__":
    app()
