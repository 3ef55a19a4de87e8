"""Fonts for the letters of a picture: matplotlib's own has no Hangul, an installed one may."""

import warnings
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any

LATIN_FONT = "DejaVu Sans"  # comes with matplotlib, so it is always there
FONTS_WITH_HANGUL = (
    "Noto Sans KR", "Noto Sans CJK KR", "NanumGothic", "NanumBarunGothic", "Malgun Gothic", "Apple SD Gothic Neo",
    "AppleGothic", "Source Han Sans KR", "Noto Sans CJK JP", "Noto Sans CJK SC", "UnDotum", "Baekmuk Gulim",
)  # fmt: skip


def lettering_for(texts: Iterable[str]) -> dict[str, Any]:
    """matplotlib's keyword arguments for these texts: fonts that have their letters, and no formulas between dollars.

    Warns once where no installed font has the letters.
    """
    missing = {ord(letter) for text in texts for letter in text if letter.isprintable()} - letters_of(LATIN_FONT)
    families = [LATIN_FONT]
    for family in FONTS_WITH_HANGUL:
        found = missing & letters_of(family) if missing else set[int]()
        if found:
            families.append(family)
            missing -= found
    if missing:
        sample = "".join(map(chr, sorted(missing)[:8]))
        warnings.warn(
            f"no installed font has the letters {sample}: the picture shows boxes for them. "
            "Install a font such as Noto Sans CJK KR or NanumGothic",
            stacklevel=2,  # one place for all callers: Python shows the same warning from one place only once
        )
    return {"fontfamily": families, "parse_math": False}


def letters_of(family: str) -> set[int]:
    """The code points that an installed font draws; none where it is not installed."""
    manager: Any = import_module("matplotlib.font_manager")
    if all(entry.name != family for entry in manager.fontManager.ttflist):
        _look_for_new_fonts()
    if all(entry.name != family for entry in manager.fontManager.ttflist):
        return set()
    return set(manager.get_font(manager.findfont(family)).get_charmap())


@cache
def _look_for_new_fonts() -> None:
    """Adds the fonts that were installed after matplotlib wrote its list of them, which it never looks over again."""
    manager: Any = import_module("matplotlib.font_manager")
    known = {entry.fname for entry in manager.fontManager.ttflist}
    for path in manager.findSystemFonts():
        if path not in known:
            try:
                manager.fontManager.addfont(path)
            except (OSError, RuntimeError):
                continue  # a file that matplotlib cannot read, such as a bitmap font
