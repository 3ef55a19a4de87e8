"""Subtitles of one film in two languages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from polyhead.config import Config
from polyhead.corpora.member import Member
from polyhead.corpora.subtitles import read_subtitles as read_units
from polyhead.corpora.unit import SOURCE, TARGET
from polyhead.data.readers.pair import Language, Pair, Weight


class SubtitlesConfig(Config):
    """What is shown at the same time in two languages is a translation."""

    kind: Literal["subtitles"] = "subtitles"
    """Two files of subtitles of the same film."""
    source: Path
    """The file to translate from: SubRip (.srt) in UTF-8, plain or compressed."""
    target: Path
    """The file to translate into."""
    target_language: Language | None = None
    """The language of the target file, for its tag, where one model learns several directions."""
    weight: Weight = 1.0
    """How often an epoch has each pair: 2 is twice, 0.5 a random half, a new one every epoch. Only in `data.train`."""


def read_subtitles(config: SubtitlesConfig) -> Iterator[Pair]:
    """The pairs in the order of their times; a text without a partner has a flaw. DataError says what is wrong."""
    for unit in read_units(Member.of(config.source), Member.of(config.target)):
        source, target = str(unit.texts[SOURCE]), str(unit.texts[TARGET] or "")
        flaw = "no translation" if not target else None if unit.finished else "unfinished translation"
        yield Pair(source, target, config.target_language, unit.place, flaw)
