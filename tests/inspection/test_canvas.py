"""Figures as files."""

import sys

import pytest

from polyhead.errors import PolyheadError
from polyhead.inspection.canvas import THEMES, check_suffix, dress, new_figure, readable, rendered, save

matplotlib = pytest.importorskip("matplotlib")

MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.mark.parametrize("suffix", MAGIC)
def test_a_file_and_its_content_are_the_same_kind(suffix, tmp_path):
    figure = new_figure(2, 1, "constrained")
    figure.add_subplot()
    assert rendered(figure, suffix).startswith(MAGIC[suffix])
    path = tmp_path / "new" / f"a.{suffix}"
    assert save(figure, path).read_bytes().startswith(MAGIC[suffix])


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_a_theme_colours_all_that_is_not_data(theme):
    from matplotlib.colors import same_color

    figure = new_figure(2, 1, "constrained")
    panel = figure.add_subplot()
    panel.set(title="a", xlabel="b", ylabel="c")
    figure.suptitle("d")
    dress(figure, theme)
    for text in (panel.title, panel.xaxis.label, panel.yaxis.label, *panel.get_xticklabels(), *figure.texts):
        assert same_color(text.get_color(), theme.ink)
    assert same_color(figure.get_facecolor(), theme.paper)
    assert all(same_color(spine.get_edgecolor(), theme.ink) for spine in panel.spines.values())


def test_long_labels_are_cut_to_one_line():
    assert readable("a\nb\tc", 9) == "a↵b⇥c"
    assert readable("a" * 9, 5) == "aaaa…"


def test_what_cannot_be_drawn_is_said(monkeypatch):
    check_suffix("a.SVG")
    with pytest.raises(PolyheadError, match="a.gif: a picture is written as one of .png, .svg, .pdf"):
        check_suffix("a.gif")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(PolyheadError, match=r"pip install polyhead\[pictures\]"):
        new_figure(1, 1, "constrained")
