"""Pictures of the positional encoding and of a training run. The suffix of the path chooses the format."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from polyhead.errors import PolyheadError
from polyhead.inspection.canvas import Axes, check_suffix, new_figure, readable, save
from polyhead.inspection.heat_maps import Matrix
from polyhead.inspection.lettering import lettering_for


def positional_encoding_picture(matrix: Matrix, path: Path | str, title: str | None = None) -> Path:
    """Draw a positional encoding as a heat map: positions upwards, dimensions to the right, zero in white.

    matrix: [positions, d_model], for instance the 50 × 128 sinusoids of Vaswani et al. 2017, section 3.5. Returns the
    path written. Raises PolyheadError for another shape, an unknown suffix, or where matplotlib is missing.
    """
    check_suffix(path)
    if matrix.ndim != 2 or matrix.size == 0:
        raise PolyheadError(f"a positional encoding has the shape [positions, d_model], not {list(matrix.shape)}")
    positions, d_model = matrix.shape
    figure = new_figure(8.0, 4.6, "constrained")
    panel = figure.add_subplot()
    limit = float(np.nanmax(np.abs(matrix))) or 1.0
    edges = (-0.5, d_model - 0.5, -0.5, positions - 0.5)
    image = panel.imshow(
        matrix, cmap="RdBu_r", vmin=-limit, vmax=limit, origin="lower", aspect="auto", extent=edges,
        interpolation="nearest",
    )  # fmt: skip
    panel.set_xlabel("dimension")
    panel.set_ylabel("position")
    panel.set_title(title or f"Positional encoding: {positions} positions × {d_model} dimensions", pad=10)
    figure.colorbar(image, ax=panel, pad=0.02, label="value")
    return save(figure, path)


def loss_curve_picture(metrics: Sequence[Mapping[str, object]], path: Path | str, title: str = "Training") -> Path:
    """Draw training loss, dev loss and dev scores against updates.

    metrics: the lines of `metrics.jsonl`, in any order; of each the keys update, loss, dev_loss, dev_bleu and dev_chrf
    are read where they are there. Returns the path written. Raises PolyheadError where no line has an update with a
    loss or a score, for an unknown suffix, or where matplotlib is missing.
    """
    check_suffix(path)
    curves = {key: _curve(metrics, key) for key in ("loss", "dev_loss", "dev_bleu", "dev_chrf")}
    losses = [key for key in ("loss", "dev_loss") if curves[key]]
    scores = [key for key in ("dev_bleu", "dev_chrf") if curves[key]]
    if not losses and not scores:
        raise PolyheadError("there is no curve to draw: no line has an update together with a loss or a score")
    panels = [(keys, name) for keys, name in ((losses, "loss per token"), (scores, "dev score")) if keys]
    figure = new_figure(8.0, 2.0 + 2.4 * len(panels), "constrained")
    figure.suptitle(readable(title, 120), fontsize=12, **lettering_for([title]))
    first: Axes | None = None
    for index, (keys, name) in enumerate(panels):
        panel = figure.add_subplot(len(panels), 1, index + 1, sharex=first)
        first = first or panel
        _draw_curves(panel, {key: curves[key] for key in keys})
        panel.set_ylabel(name)
        if index == len(panels) - 1:
            panel.set_xlabel("update")
    return save(figure, path)


def _draw_curves(panel: Axes, curves: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    labels = {"loss": "training loss", "dev_loss": "dev loss", "dev_bleu": "BLEU", "dev_chrf": "chrF"}
    colours = {"loss": "#8da0cb", "dev_loss": "#1f3b73", "dev_bleu": "#b2182b", "dev_chrf": "#e08214"}
    for key, points in curves.items():
        updates, values = [point[0] for point in points], [point[1] for point in points]
        marker = "" if key == "loss" and len(points) > 1 else "o"
        width = 1.2 if key == "loss" else 1.8
        label = labels[key]
        if key != "loss":
            best = min(values) if key == "dev_loss" else max(values)
            label += f", best {best:.2f} at {updates[values.index(best)]:,.0f}"
        panel.plot(updates, values, color=colours[key], marker=marker, markersize=3.5, linewidth=width, label=label)
    panel.grid(alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)
    panel.xaxis.set_major_formatter("{x:,.0f}")
    panel.legend(frameon=False, fontsize=9)


def _curve(metrics: Iterable[Mapping[str, object]], key: str) -> list[tuple[float, float]]:
    """The points (update, value) of one key in order; a value that is not finite leaves no point."""
    points: list[tuple[float, float]] = []
    for line in metrics:
        update, value = line.get("update"), line.get(key)
        if isinstance(update, int | float) and isinstance(value, int | float) and math.isfinite(value):
            points.append((float(update), float(value)))
    return sorted(points)
