"""Attention as a grid of heat maps, one a head (Vaswani et al. 2017, figures 3 to 5).

Shapes: H heads, Tq query tokens, Tk key tokens.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from polyhead.errors import PolyheadError
from polyhead.inspection.canvas import THEMES, Axes, Figure, ThemeName, dress, new_figure, readable
from polyhead.inspection.lettering import lettering_for

Matrix = NDArray[np.floating[Any]]

LARGEST_CELL, SMALLEST_CELL, SMALLEST_LABELLED_CELL = 0.34, 0.05, 0.125  # inches
LONGEST_LABEL = 24  # characters


def attention_figure(
    weights: Matrix,
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    title: str = "",
    subtitle: str = "",
    heads: Sequence[int] | None = None,
    *,
    mask: NDArray[np.bool_] | None = None,
    theme: ThemeName = "light",
) -> Figure:
    """Draw attention weights, a heat map a head.

    weights: [H, Tq, Tk], each row over the keys sums to 1. row_labels: Tq query tokens; column_labels: Tk key tokens.
    heads: which heads, counted from 0 (all by default). mask: of the weights' shape, True where a query may see a key;
    the other cells are hatched.

    Raises PolyheadError where shapes and labels disagree, a head does not exist or matplotlib is missing.
    Warns once where no installed font has the letters of the labels.
    """
    chosen, numbers = _chosen_heads(weights, row_labels, column_labels, heads)
    if mask is not None:
        chosen = np.ma.masked_where(~mask[numbers], chosen)
    rows, columns = len(row_labels), len(column_labels)
    cell = min(max(4.2 / max(rows, columns), SMALLEST_CELL), LARGEST_CELL)
    across = _panels_across(len(numbers))
    figure = _grid(len(numbers), across, row_labels, column_labels, cell)
    lettering = lettering_for([title, *row_labels, *column_labels])
    panels: list[Axes] = figure.axes
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
    figure.suptitle("\n".join(filter(None, (readable(title, 120), subtitle))), fontsize=12, **lettering)
    dress(figure, THEMES[theme])
    for panel in panels:
        panel.patch.set(hatch="//////", edgecolor=THEMES[theme].hatch, linewidth=0)  # shows where cells are masked
    return figure


def _grid(count: int, across: int, row_labels: Sequence[str], column_labels: Sequence[str], cell: float) -> Figure:
    """A figure with `count` empty panels, `across` in a row, for cells of so many inches."""
    down = math.ceil(count / across)
    # A panel with one token would be too narrow for its own heading.
    panel_width, panel_height = max(len(column_labels) * cell, 0.9), max(len(row_labels) * cell, 0.5)
    width = across * (panel_width + 0.15) + _room(row_labels, cell) + 1.3
    height = down * (panel_height + 0.35) + _room(column_labels, cell) + 0.8
    figure = new_figure(max(width, 3.2), max(height, 2.6), "compressed")
    for index in range(count):
        figure.add_subplot(down, across, index + 1)
    return figure


def _chosen_heads(
    weights: Matrix, row_labels: Sequence[str], column_labels: Sequence[str], heads: Sequence[int] | None
) -> tuple[Matrix, list[int]]:
    """The weights to draw, [chosen heads, Tq, Tk], and the numbers of their heads."""
    if weights.ndim != 3 or weights.size == 0:
        raise PolyheadError(f"attention weights have the shape [H, Tq, Tk], not {weights.shape}")
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
    texts = [readable(labels[place], LONGEST_LABEL) for place in places]
    style: dict[str, Any] = {**lettering, "fontsize": _label_size(cell)}
    panel.tick_params(axis=axis, length=2, pad=2)
    if axis == "y":
        panel.set_yticks(places, texts, **style)
        return
    if any(len(text) > 2 for text in texts):
        # Slanted where there is room, upright where tokens stand close.
        style |= {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if cell > 0.2 else {"rotation": 90}
    panel.set_xticks(places, texts, **style)
