"""How long a shortlist's lists are, and how much of a text they hold."""

from dataclasses import dataclass

import numpy as np

from polyhead.data.store import EncodedCorpus
from polyhead.shortlist.shortlist import Shortlist
from polyhead.symbols import EOS

SAMPLE = 2_000
"""Sentence pairs that are looked at, at even distances."""


@dataclass(frozen=True)
class Coverage:
    """How long a shortlist's lists are for some text, and how much of the text they hold."""

    pieces: float
    """The mean length of a sentence's list."""
    held: float
    """The share of the text's target pieces that are in their sentence's list."""


def measure_coverage(shortlist: Shortlist, corpus: EncodedCorpus) -> Coverage:
    """The coverage of a shortlist on at most `SAMPLE` pairs of a corpus, which must have one at least."""
    rows = range(0, len(corpus), -(-len(corpus) // SAMPLE))
    lists = [shortlist.of([*corpus.source(row).tolist(), EOS]) for row in rows]
    held = [np.isin(corpus.target(row), allowed) for row, allowed in zip(rows, lists, strict=True)]
    return Coverage(float(np.mean([len(each) for each in lists])), float(np.concatenate(held).mean()))
