"""Figures and files: what all pictures share.

matplotlib is the optional extra `[pictures]`, imported when a picture is drawn. Only its object interface is used: no
pyplot, no global settings, so pictures may be drawn in any thread of any program.
"""

import io
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from polyhead.errors import PolyheadError
from polyhead.files import atomic_file

Figure = Any  # matplotlib's: nearly every method of its stubs takes untyped keywords
Axes = Any

_ONE_AT_A_TIME = Lock()
SUFFIXES = (".png", ".svg", ".pdf")
DOTS_PER_INCH = 160

ThemeName = Literal["light", "dark"]


@dataclass(frozen=True)
class Theme:
    """The colours of a picture around its data."""

    paper: str
    ink: str
    hatch: str
    """The colour of the lines over masked cells."""


THEMES: dict[ThemeName, Theme] = {
    "light": Theme(paper="#ffffff", ink="#1a1a1a", hatch="#b8b8b8"),
    "dark": Theme(paper="#16181d", ink="#d6d9e0", hatch="#4a4f5a"),
}


def new_figure(width: float, height: float, layout: Literal["constrained", "compressed"]) -> Figure:
    """An empty figure, size in inches. Raises PolyheadError where matplotlib is missing."""
    try:
        figures: Any = import_module("matplotlib.figure")
    except ImportError as error:
        raise PolyheadError("pictures need matplotlib: pip install polyhead[pictures]") from error
    return figures.Figure(figsize=(width, height), layout=layout)


def dress(figure: Figure, theme: Theme) -> None:
    """Colours the background, the text and the frames of a drawn figure."""
    figure.set_facecolor(theme.paper)
    for text in figure.texts:
        text.set_color(theme.ink)
    for axes in figure.axes:
        axes.set_facecolor(theme.paper)
        axes.tick_params(colors=theme.ink)
        for text in (axes.title, axes.xaxis.label, axes.yaxis.label):
            text.set_color(theme.ink)
        for spine in axes.spines.values():
            spine.set_edgecolor(theme.ink)


def readable(text: str, longest: int) -> str:
    """The text as one line of at most `longest` characters, with signs for line breaks and tabs."""
    line = text.replace("\n", "↵").replace("\t", "⇥")
    return line if len(line) <= longest else line[: longest - 1] + "…"


def check_suffix(path: Path | str) -> None:
    """Raises PolyheadError, before anything is drawn, for a path whose suffix names no format of pictures."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise PolyheadError(f"{path}: a picture is written as one of {', '.join(SUFFIXES)}, say which by the suffix")


def save(figure: Figure, path: Path | str) -> Path:
    """Writes the figure in the format that the suffix names, whole or not at all; makes directories that are missing.

    Raises WriteError where nothing can be written.
    """
    path = Path(path)
    content = rendered(figure, path.suffix.lower().removeprefix("."))
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as temporary:
        temporary.write_bytes(content)
    return path


def rendered(figure: Figure, suffix: str) -> bytes:
    """The figure as the content of a file: "png", "svg" or "pdf"."""
    file = io.BytesIO()
    with _writing():
        figure.savefig(file, format=suffix, dpi=DOTS_PER_INCH, bbox_inches="tight")
    return file.getvalue()


@contextmanager
def _writing() -> Generator[None]:
    """Lets one thread at a time write a figure, as neither fonts nor the filters of warnings are safe in several.

    matplotlib's own warnings of missing letters, one for each letter, are hidden: `lettering_for` has warned of them.
    """
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield
