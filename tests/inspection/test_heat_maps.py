"""Attention as heat maps."""

import warnings
from typing import Any

import matplotlib.colors
import numpy as np
import pytest

from polyhead.errors import PolyheadError
from polyhead.inspection import lettering
from polyhead.inspection.canvas import THEMES, rendered
from polyhead.inspection.heat_maps import attention_figure


def _weights(*shape: int) -> np.ndarray:
    logits = np.random.default_rng(0).normal(size=shape)
    return np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)


def _tokens(count: int, stem: str = "token") -> list[str]:
    return [f"▁{stem}{number}" for number in range(count)]


@pytest.mark.parametrize(("heads", "rows", "columns"), [(1, 1, 1), (4, 7, 9), (5, 3, 12), (8, 30, 30), (2, 1, 90)])
def test_every_head_is_a_heat_map_of_its_weights(heads: int, rows: int, columns: int) -> None:
    weights = _weights(heads, rows, columns)
    figure = attention_figure(weights, _tokens(rows), _tokens(columns), "the title")
    *panels, bar = figure.axes
    assert len(panels) == heads
    for head, panel in enumerate(panels):
        [image] = panel.get_images()
        np.testing.assert_array_equal(image.get_array(), weights[head])
        assert image.get_clim() == (0, 1)
        assert panel.get_title() == f"head {head + 1}"
    assert bar.get_ylabel() == "attention weight"
    assert figure.get_suptitle() == "the title"


def test_heads_can_be_chosen() -> None:
    weights = _weights(4, 2, 2)
    figure = attention_figure(weights, ["a", "b"], ["c", "d"], heads=[2, 1])
    panels = figure.axes[:-1]
    assert [panel.get_title() for panel in panels] == ["head 3", "head 2"]
    np.testing.assert_array_equal(panels[0].get_images()[0].get_array(), weights[2])


def test_labels_stand_at_the_outer_panels_as_they_are() -> None:
    figure = attention_figure(_weights(4, 2, 3), ["x\ny", "b" * 99], ["$a$", "dog", "."])
    upper_left, upper_right, lower_left, lower_right, _ = figure.axes

    def texts(labels: list[Any]) -> list[str]:
        return [label.get_text() for label in labels]

    for panel in (upper_left, lower_left):
        assert texts(panel.get_yticklabels()) == ["x↵y", "b" * 23 + "…"]
    for panel in (lower_left, lower_right):
        assert texts(panel.get_xticklabels()) == ["$a$", "dog", "."]
        assert not panel.get_xticklabels()[0].get_parse_math()
    assert texts(upper_right.get_yticklabels()) == texts(upper_right.get_xticklabels()) == []


def test_labels_of_very_long_sentences_are_thinned() -> None:
    figure = attention_figure(_weights(1, 3, 90), _tokens(3), _tokens(90))
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert labels == _tokens(90)[::3]


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((2, 3, 4), {}, "3 × 4, but there are 2 row labels and 4 column labels"),
        ((2, 4), {}, r"\[H, Tq, Tk\]"),
        ((0, 2, 4), {}, r"\[H, Tq, Tk\]"),
        ((3, 2, 2, 4), {}, r"\[H, Tq, Tk\]"),
        ((2, 2, 4), {"heads": [0, 2]}, r"no heads \[2\]"),
        ((2, 2, 4), {"heads": []}, "no heads"),
    ],
)
def test_weights_that_do_not_fit_are_refused(shape: tuple[int, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(PolyheadError, match=message):
        attention_figure(np.zeros(shape), _tokens(2), _tokens(4), **options)


def test_letters_that_no_font_has_are_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rendered(attention_figure(_weights(1, 1, 1), ["été▁"], ["x\u200b"]), "png")
    with pytest.warns(UserWarning, match="no installed font has the letters 𒀀.*Install a font") as caught:
        rendered(attention_figure(_weights(1, 1, 1), ["𒀀"], ["x"]), "png")
    assert len(caught) == 1


def test_a_font_with_hangul_is_taken_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    fonts = {"DejaVu Sans": "chat cat", "NanumGothic": "고양이 cat", "Malgun Gothic": "고양이 cat"}

    def letters_of(family: str) -> set[int]:
        return set(map(ord, fonts.get(family, "")))

    monkeypatch.setattr(lettering, "letters_of", letters_of)
    figures = [attention_figure(_weights(1, 1, 1), [word], ["cat"]) for word in ("고양이", "chat")]
    korean, latin = (figure.axes[0].get_yticklabels()[0].get_fontfamily() for figure in figures)
    assert korean == ["DejaVu Sans", "NanumGothic"]
    assert latin == ["DejaVu Sans"]


@pytest.mark.parametrize("theme", THEMES)
def test_masked_cells_are_hatched_on_the_themes_paper(theme: Any) -> None:
    mask = np.tri(3, dtype=bool)[None]
    figure = attention_figure(_weights(1, 3, 3), _tokens(3), _tokens(3), mask=mask, theme=theme)
    panel = figure.axes[0]
    np.testing.assert_array_equal(panel.get_images()[0].get_array().mask, ~mask[0])
    assert panel.patch.get_hatch()
    assert matplotlib.colors.same_color(figure.get_facecolor(), THEMES[theme].paper)
    assert matplotlib.colors.same_color(panel.get_yticklabels()[0].get_color(), THEMES[theme].ink)
