import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyhead.errors import PolyheadError
from polyhead.inspection import pictures
from polyhead.inspection.pictures import loss_curve_picture, positional_encoding_picture

MAGIC = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


def _weights(*shape: int) -> "pictures.Matrix":
    logits = np.random.default_rng(0).normal(size=shape)
    return np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that would have been saved."""
    figures: list[Any] = []

    def keep(figure: Any, path: Path | str) -> Path:
        figures.append(figure)
        return Path(path)

    monkeypatch.setattr(pictures, "save", keep)
    return figures


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_suffix_chooses_the_format(suffix: str, tmp_path: Path) -> None:
    written = positional_encoding_picture(_weights(5, 8), tmp_path / "new" / f"picture{suffix}")
    assert written.read_bytes().startswith(MAGIC[suffix])


@pytest.mark.parametrize("name", ["picture", "picture.jpeg", "picture.txt"])
def test_an_unknown_suffix_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(PolyheadError, match=r"\.png, \.svg, \.pdf"):
        positional_encoding_picture(_weights(5, 8), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_the_positional_encoding_is_drawn_with_zero_in_the_middle(drawn: list[Any]) -> None:
    matrix = np.sin(np.arange(50)[:, None] / 10000 ** (np.arange(128) / 128))
    positional_encoding_picture(matrix, "pe.png")
    panel = drawn[0].axes[0]
    low, high = panel.get_images()[0].get_clim()
    assert low == -high
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("dimension", "position")
    assert "50 positions × 128 dimensions" in panel.get_title()
    with pytest.raises(PolyheadError, match=r"\[positions, d_model\]"):
        positional_encoding_picture(np.zeros(3), "pe.png")


def test_loss_curves_come_from_the_lines_of_a_run(drawn: list[Any]) -> None:
    lines: list[dict[str, object]] = [
        {"update": 20, "loss": 3.0, "epoch": 1},
        {"update": 10, "loss": 4.0},
        {"update": 30, "loss": float("nan")},
        {"update": 20, "dev_loss": 3.5, "dev_bleu": 12.0, "dev_chrf": 30.0},
        {"loss": 1.0},
    ]
    loss_curve_picture(lines, "loss.png")
    losses, scores = drawn[0].axes
    curves = {line.get_label().split(",")[0]: line.get_xydata().tolist() for line in (*losses.lines, *scores.lines)}
    assert curves == {
        "training loss": [[10, 4], [20, 3]], "dev loss": [[20, 3.5]], "BLEU": [[20, 12]], "chrF": [[20, 30]],
    }  # fmt: skip
    assert scores.get_xlabel() == "update"


def test_loss_curves_without_scores_are_one_panel(drawn: list[Any]) -> None:
    loss_curve_picture([{"update": 1, "loss": 2.0}], "loss.png")
    assert len(drawn[0].axes) == 1
    with pytest.raises(PolyheadError, match="no curve to draw"):
        loss_curve_picture([{"update": 1}], "loss.png")


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(PolyheadError, match=r"pip install polyhead\[pictures\]"):
        positional_encoding_picture(_weights(2, 2), tmp_path / "pe.png")


def test_matplotlib_is_loaded_only_to_draw_and_pyplot_never(tmp_path: Path) -> None:
    code = (
        "import sys, numpy; from polyhead.inspection.pictures import positional_encoding_picture;"
        "assert 'matplotlib' not in sys.modules;"
        f"positional_encoding_picture(numpy.eye(3), {str(tmp_path / 'pe.png')!r});"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
