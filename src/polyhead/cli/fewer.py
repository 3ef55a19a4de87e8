"""What `polyhead translate --n-best` says where there are fewer translations than were asked for."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polyhead.translating.translator import Translation


def say_fewer(results: Sequence["Translation"], n_best: int) -> None:
    """Says on standard error how many lines have fewer than `n_best` translations, if any, and which is the first.

    A line in which nothing was translated, such as one without letters, has only itself as an answer and isn't counted.
    """
    counts = [len(result.alternatives or (result,)) for result in results]
    fewer = [
        number
        for number, (result, count) in enumerate(zip(results, counts, strict=True))
        if result.sentences and count < n_best
    ]
    if fewer:
        first = fewer[0]
        lines = "1 line has" if len(fewer) == 1 else f"{len(fewer):,} lines have"
        print(
            f"polyhead: {lines} fewer than {n_best} translations (line {first + 1}: {counts[first]}): the search "
            "found no more; raise --beam or --max-length",
            file=sys.stderr,
        )
