"""Translations as lines of standard output."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polyhead.translating.translator import Translation


def written(results: Sequence[Translation], *, as_json: bool, ranked: bool, aligned: bool) -> Iterator[str]:
    """The lines of output in the form asked for."""
    from dataclasses import asdict

    from polyhead.translating.alignment import pharaoh

    for number, result in enumerate(results):
        if as_json:
            yield json.dumps(asdict(_with_codes(result)), ensure_ascii=False)
        elif ranked:
            for each in result.alternatives or (result,):
                alignment = f" ||| {pharaoh(each.alignment or ())}" if aligned else ""
                yield f"{number} ||| {each.marked.written()} ||| {each.score:.6f}{alignment}"
        elif aligned:
            yield f"{result.marked.written()}\t{pharaoh(result.alignment or ())}"
        else:
            yield result.marked.written()


def _with_codes(translation: Translation) -> Translation:
    """A translation, and its alternatives, with the codes written into their texts."""
    from dataclasses import replace

    others = tuple(map(_with_codes, translation.alternatives))
    return replace(translation, text=translation.marked.written(), alternatives=others)
