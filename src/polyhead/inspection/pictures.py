"""Pictures as files: attention by head, the positional encoding, the course of a training run.

matplotlib is the optional extra `[pictures]`, imported when a picture is drawn. Only its object interface is used: no
pyplot, no global settings, so pictures may be drawn in any thread of any program. The suffix of the path chooses the
format: .png, .svg or .pdf.
"""

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from polyhead.errors import PolyheadError
from polyhead.inspection.lettering import lettering_for

Matrix = NDArray[np.floating[Any]]
Figure = Any  # matplotlib's: nearly every method of its stubs takes untyped keywords
Axes = Any

SUFFIXES = (".png", ".svg", ".pdf")
LARGEST_CELL, SMALLEST_CELL, SMALLEST_LABELLED_CELL = 0.34, 0.05, 0.125  # inches
LONGEST_LABEL = 24  # characters


def attention_picture(
    weights: Matrix,
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    path: Path | str,
    title: str = "",
    layer: int = -1,
    heads: Sequence[int] | None = None,
) -> Path:
    """Draw attention weights as a grid of heat maps, one a head (Vaswani et al. 2017, figures 3 to 5).

    weights: [H, Tq, Tk] or [L, H, Tq, Tk], each row over the keys sums to 1. row_labels: Tq query tokens;
    column_labels: Tk key tokens. layer: which layer of a four-dimensional array (the last by default). heads: which
    heads, counted from 0 (all by default). Returns the path written.

    Raises PolyheadError where shapes and labels disagree, a layer or head does not exist, the suffix is unknown or
    matplotlib is missing. Warns once where no installed font has the letters of the labels.
    """
    chosen, numbers = _chosen_heads(weights, row_labels, column_labels, layer, heads)
    rows, columns = len(row_labels), len(column_labels)
    cell = min(max(4.2 / max(rows, columns), SMALLEST_CELL), LARGEST_CELL)
    across = _panels_across(len(numbers))
    down = math.ceil(len(numbers) / across)
    # A panel with one token would be too narrow for its own heading.
    panel_width, panel_height = max(columns * cell, 0.9), max(rows * cell, 0.5)
    width = across * (panel_width + 0.15) + _room(row_labels, cell) + 1.3
    height = down * (panel_height + 0.35) + _room(column_labels, cell) + 0.8
    figure = _figure(max(width, 3.2), max(height, 2.6), path, "compressed")
    lettering = lettering_for([title, *row_labels, *column_labels])
    panels = [figure.add_subplot(down, across, index + 1) for index in range(len(numbers))]
    for index, (panel, number) in enumerate(zip(panels, numbers, strict=True)):
        image = panel.imshow(chosen[index], vmin=0.0, vmax=1.0, cmap="viridis", interpolation="nearest")
        panel.set_title(f"head {number + 1}", fontsize=9, pad=4)
        # Only the outer panels are lettered: the tokens of a column or a row are the same in every panel.
        _letter_axis(panel, "x", column_labels if index + across >= len(panels) else [], cell, lettering)
        _letter_axis(panel, "y", row_labels if index % across == 0 else [], cell, lettering)
        if index == len(panels) - 1:
            bar = figure.colorbar(image, ax=panels, ticks=[0, 0.25, 0.5, 0.75, 1], fraction=0.05, pad=0.02, aspect=25)
            bar.set_label("attention weight", fontsize=9)
            bar.ax.tick_params(labelsize=8)
    figure.supxlabel("key: attended to", fontsize=9)
    figure.supylabel("query: attending", fontsize=9)
    figure.suptitle(_readable(title, 120), fontsize=12, **lettering)
    return _save(figure, path)


def positional_encoding_picture(matrix: Matrix, path: Path | str, title: str | None = None) -> Path:
    """Draw a positional encoding as a heat map: positions upwards, dimensions to the right, zero in white.

    matrix: [positions, d_model], for instance the 50 × 128 sinusoids of Vaswani et al. 2017, section 3.5. Returns the
    path written. Raises PolyheadError for another shape, an unknown suffix, or where matplotlib is missing.
    """
    if matrix.ndim != 2 or matrix.size == 0:
        raise PolyheadError(f"a positional encoding has the shape [positions, d_model], not {list(matrix.shape)}")
    positions, d_model = matrix.shape
    figure = _figure(8.0, 4.6, path, "constrained")
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
    return _save(figure, path)


def loss_curve_picture(metrics: Sequence[Mapping[str, object]], path: Path | str, title: str = "Training") -> Path:
    """Draw training loss, dev loss and dev scores against updates.

    metrics: the lines of `metrics.jsonl`, in any order; of each the keys update, loss, dev_loss, dev_bleu and dev_chrf
    are read where they are there. Returns the path written. Raises PolyheadError where no line has an update with a
    loss or a score, for an unknown suffix, or where matplotlib is missing.
    """
    curves = {key: _curve(metrics, key) for key in ("loss", "dev_loss", "dev_bleu", "dev_chrf")}
    losses = [key for key in ("loss", "dev_loss") if curves[key]]
    scores = [key for key in ("dev_bleu", "dev_chrf") if curves[key]]
    if not losses and not scores:
        raise PolyheadError("there is no curve to draw: no line has an update together with a loss or a score")
    panels = [(keys, name) for keys, name in ((losses, "loss per token"), (scores, "dev score")) if keys]
    figure = _figure(8.0, 2.0 + 2.4 * len(panels), path, "constrained")
    figure.suptitle(_readable(title, 120), fontsize=12, **lettering_for([title]))
    first: Axes | None = None
    for index, (keys, name) in enumerate(panels):
        panel = figure.add_subplot(len(panels), 1, index + 1, sharex=first)
        first = first or panel
        _draw_curves(panel, {key: curves[key] for key in keys})
        panel.set_ylabel(name)
        if index == len(panels) - 1:
            panel.set_xlabel("update")
    return _save(figure, path)


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


def _chosen_heads(
    weights: Matrix, row_labels: Sequence[str], column_labels: Sequence[str], layer: int, heads: Sequence[int] | None
) -> tuple[Matrix, list[int]]:
    """The weights to draw, [chosen heads, Tq, Tk], and the numbers of their heads."""
    if weights.ndim == 4:
        if not -weights.shape[0] <= layer < weights.shape[0]:
            raise PolyheadError(f"there is no layer {layer}: the weights have {weights.shape[0]} layers")
        weights = weights[layer]
    if weights.ndim != 3 or weights.size == 0:
        raise PolyheadError(f"attention weights have the shape [H, Tq, Tk] or [L, H, Tq, Tk], not {weights.shape}")
    if weights.shape[1:] != (len(row_labels), len(column_labels)):
        raise PolyheadError(
            f"the weights are {weights.shape[1]} × {weights.shape[2]}, "
            f"but there are {len(row_labels)} row labels and {len(column_labels)} column labels"
        )
    numbers = list(range(weights.shape[0])) if heads is None else list(heads)
    wrong = [head for head in numbers if not 0 <= head < weights.shape[0]]
    if wrong or not numbers:
        raise PolyheadError(f"there are no heads {wrong or numbers}: the weights have {weights.shape[0]}, from 0")
    return weights[numbers], numbers


def _panels_across(count: int) -> int:
    """How many panels stand side by side: near a square, with as few empty places as can be."""
    square = math.ceil(math.sqrt(count))
    return min((square, square + 1), key=lambda across: (-count % across, across)) if count > 2 else count


def _label_size(cell: float) -> float:
    """The size of token labels in points, for cells of so many inches."""
    return min(9.0, max(6.0, cell * 72 * 0.62))


def _room(labels: Sequence[str], cell: float) -> float:
    """About how many inches the longest label takes: a letter is three fifths of its height wide."""
    return min(LONGEST_LABEL, max(map(len, labels))) * 0.6 * _label_size(cell) / 72


def _letter_axis(
    panel: Axes, axis: Literal["x", "y"], labels: Sequence[str], cell: float, lettering: Mapping[str, Any]
) -> None:
    """Write the tokens along one axis; without labels the axis stays bare."""
    # Very long sentences: every second, third … token is named, so that names never run into each other.
    places = list(range(0, len(labels), math.ceil(SMALLEST_LABELLED_CELL / cell)))
    texts = [_readable(labels[place], LONGEST_LABEL) for place in places]
    style: dict[str, Any] = {**lettering, "fontsize": _label_size(cell)}
    panel.tick_params(axis=axis, length=2, pad=2)
    if axis == "y":
        panel.set_yticks(places, texts, **style)
        return
    if any(len(text) > 2 for text in texts):
        # Slanted where there is room, upright where tokens stand close.
        style |= {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if cell > 0.2 else {"rotation": 90}
    panel.set_xticks(places, texts, **style)


def _readable(text: str, longest: int) -> str:
    """One line, not too long."""
    line = text.replace("\n", "↵").replace("\t", "⇥")
    return line if len(line) <= longest else line[: longest - 1] + "…"


def _figure(width: float, height: float, path: Path | str, layout: Literal["constrained", "compressed"]) -> Figure:
    """An empty figure, size in inches; complains early about a missing matplotlib or a suffix that can't be written."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise PolyheadError(f"{path}: a picture is written as one of {', '.join(SUFFIXES)}, say which by the suffix")
    try:
        figures: Any = import_module("matplotlib.figure")
    except ImportError as error:
        raise PolyheadError("pictures need matplotlib: pip install polyhead[pictures]") from error
    return figures.Figure(figsize=(width, height), layout=layout)


def _save(figure: Figure, path: Path | str) -> Path:
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        # `lettering_for` has said it already, once; matplotlib would say it for every letter.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(path, dpi=160, bbox_inches="tight", facecolor="white")
    return path
