"""What the names of files tell about the text in them."""

from pathlib import Path

from polyhead.corpora.compressed import COMPRESSED
from polyhead.languages import is_language

_OF_FORMATS = frozenset([".bpe", ".clean", ".lc", ".norm", ".raw", ".spm", ".srt", ".tc", ".tok", ".txt"])
"""Endings that say how a text was treated; a language may stand before them: `train.en.txt`."""


def language_of(path: Path) -> str | None:
    """The language that a file's name ends in, if it does: `train.en.gz` → en, `corpus.en-de.de` → de."""
    for suffix in reversed(path.suffixes):
        if suffix.lower() not in COMPRESSED | _OF_FORMATS:
            return suffix[1:] if is_language(suffix[1:]) else None
    return None
