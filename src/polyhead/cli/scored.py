"""Checks of the files that `polyhead evaluate` compares: all have as many lines, and blank lines are pointed out."""

import sys
from collections.abc import Mapping, Sequence

from polyhead.errors import PolyheadError, counted


def check_aligned(files: Mapping[str, Sequence[str]]) -> None:
    """Raises PolyheadError, with both names, where a file has more or fewer lines than the first. files: by name"""
    (first, lines), *others = files.items()
    for name, each in others:
        if len(each) != len(lines):
            raise PolyheadError(
                f"{first} has {counted(len(lines), 'line')} and {name} has {counted(len(each), 'line')}: they must be "
                "aligned, sentence by sentence"
            )


def say_blank(files: Mapping[str, Sequence[str]]) -> None:
    """Says on standard error how many lines of each file are blank, if any, and which is the first."""
    for name, lines in files.items():
        blank = [number for number, line in enumerate(lines, start=1) if not line.strip()]
        if blank:
            some = f"1 line of {name} is blank: line {blank[0]}"
            if len(blank) > 1:
                some = f"{len(blank):,} lines of {name} are blank, first line {blank[0]}"
            print(f"polyhead: {some}; the scores are with them, as sacreBLEU counts them", file=sys.stderr)
