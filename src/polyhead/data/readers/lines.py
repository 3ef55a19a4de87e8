"""Two files aligned line by line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from polyhead.config import Config
from polyhead.corpora.aligned import aligned_lines
from polyhead.corpora.kinds import JSONL, kind_by_name
from polyhead.corpora.member import Member
from polyhead.corpora.text_lines import lines_of_text
from polyhead.data.readers.pair import Language, Pair, Weight
from polyhead.errors import DataError


class LinesConfig(Config):
    """Line n of one file is the translation of line n of the other."""

    kind: Literal["lines"] = "lines"
    """Two aligned text files."""
    source: Path
    """The file to translate from: UTF-8, plain, .gz, .bz2, .xz or .zst."""
    target: Path
    """The file to translate into."""
    target_language: Language | None = None
    """The language of the target file, for its tag, where one model learns several directions."""
    weight: Weight = 1.0
    """How often an epoch has each pair: 2 is twice, 0.5 a random half, a new one every epoch. Only in `data.train`."""


def read_lines(config: LinesConfig) -> Iterator[Pair]:
    """The pairs in order. DataError when one file has more lines than the other, after the last pair."""
    source, target = Member.of(config.source), Member.of(config.target)
    for member in (source, target):
        if kind_by_name(member.name) is JSONL:  # which can't be told from lines otherwise
            raise DataError(JSONL.refusal, member.name)
    for number, one, other in aligned_lines(source, target, lines_of_text):
        yield Pair(one, other, config.target_language, f"{config.source}:{number}")
