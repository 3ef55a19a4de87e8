import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyhead.errors import PolyheadError
from polyhead.inspection import lettering, pictures
from polyhead.inspection.pictures import attention_picture, loss_curve_picture, positional_encoding_picture

MAGIC = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


def _weights(*shape: int) -> "pictures.Matrix":
    logits = np.random.default_rng(0).normal(size=shape)
    return np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)


def _tokens(count: int, stem: str = "token") -> list[str]:
    return [f"▁{stem}{number}" for number in range(count)]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that would have been saved."""
    figures: list[Any] = []

    def keep(figure: Any, path: Path | str) -> Path:
        figures.append(figure)
        return Path(path)

    monkeypatch.setattr(pictures, "_save", keep)
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


@pytest.mark.parametrize(("heads", "rows", "columns"), [(1, 1, 1), (4, 7, 9), (5, 3, 12), (8, 30, 30), (2, 1, 90)])
def test_every_head_is_a_heat_map_of_its_weights(heads: int, rows: int, columns: int, drawn: list[Any]) -> None:
    weights = _weights(3, heads, rows, columns)
    attention_picture(weights, _tokens(rows), _tokens(columns), "a.png", "the title")
    [figure] = drawn
    *panels, bar = figure.axes
    assert len(panels) == heads
    for head, panel in enumerate(panels):
        [image] = panel.get_images()
        np.testing.assert_array_equal(image.get_array(), weights[-1, head])
        assert image.get_clim() == (0, 1)
        assert panel.get_title() == f"head {head + 1}"
    assert bar.get_ylabel() == "attention weight"
    assert figure.get_suptitle() == "the title"


def test_a_layer_and_heads_can_be_chosen(drawn: list[Any]) -> None:
    weights = _weights(3, 4, 2, 2)
    attention_picture(weights, ["a", "b"], ["c", "d"], "a.png", layer=0, heads=[2, 1])
    panels = drawn[0].axes[:-1]
    assert [panel.get_title() for panel in panels] == ["head 3", "head 2"]
    np.testing.assert_array_equal(panels[0].get_images()[0].get_array(), weights[0, 2])


def test_labels_stand_at_the_outer_panels_as_they_are(drawn: list[Any]) -> None:
    attention_picture(_weights(4, 2, 3), ["x\ny", "b" * 99], ["$a$", "dog", "."], "a.png")
    upper_left, upper_right, lower_left, lower_right, _ = drawn[0].axes

    def texts(labels: list[Any]) -> list[str]:
        return [label.get_text() for label in labels]

    for panel in (upper_left, lower_left):
        assert texts(panel.get_yticklabels()) == ["x↵y", "b" * 23 + "…"]
    for panel in (lower_left, lower_right):
        assert texts(panel.get_xticklabels()) == ["$a$", "dog", "."]
        assert not panel.get_xticklabels()[0].get_parse_math()
    assert texts(upper_right.get_yticklabels()) == texts(upper_right.get_xticklabels()) == []


def test_labels_of_very_long_sentences_are_thinned(drawn: list[Any]) -> None:
    attention_picture(_weights(1, 3, 90), _tokens(3), _tokens(90), "a.png")
    labels = [label.get_text() for label in drawn[0].axes[0].get_xticklabels()]
    assert labels == _tokens(90)[::3]


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((2, 3, 4), {}, "3 × 4, but there are 2 row labels and 4 column labels"),
        ((2, 4), {}, r"\[H, Tq, Tk\]"),
        ((0, 2, 4), {}, r"\[H, Tq, Tk\]"),
        ((3, 2, 2, 4), {"layer": 3}, "no layer 3: the weights have 3"),
        ((2, 2, 4), {"heads": [0, 2]}, r"no heads \[2\]"),
        ((2, 2, 4), {"heads": []}, "no heads"),
    ],
)
def test_weights_that_do_not_fit_are_refused(shape: tuple[int, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(PolyheadError, match=message):
        attention_picture(np.zeros(shape), _tokens(2), _tokens(4), "a.png", **options)


def test_letters_that_no_font_has_are_warned_of(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        attention_picture(_weights(1, 1, 1), ["été▁"], ["x\u200b"], tmp_path / "a.png")
    with pytest.warns(UserWarning, match="no installed font has the letters 𒀀.*Install a font") as caught:
        attention_picture(_weights(1, 1, 1), ["𒀀"], ["x"], tmp_path / "a.png")
    assert len(caught) == 1


def test_a_font_with_hangul_is_taken_where_there_is_one(drawn: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    fonts = {"DejaVu Sans": "chat cat", "NanumGothic": "고양이 cat", "Malgun Gothic": "고양이 cat"}

    def letters_of(family: str) -> set[int]:
        return set(map(ord, fonts.get(family, "")))

    monkeypatch.setattr(lettering, "letters_of", letters_of)
    attention_picture(_weights(1, 1, 1), ["고양이"], ["cat"], "a.png")
    attention_picture(_weights(1, 1, 1), ["chat"], ["cat"], "a.png")
    korean, latin = (figure.axes[0].get_yticklabels()[0].get_fontfamily() for figure in drawn)
    assert korean == ["DejaVu Sans", "NanumGothic"]
    assert latin == ["DejaVu Sans"]


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
        "import sys, numpy; from polyhead.inspection.pictures import *;"
        "assert 'matplotlib' not in sys.modules;"
        f"positional_encoding_picture(numpy.eye(3), {str(tmp_path / 'pe.png')!r});"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
