"""Where pairs come from. A new reader is a config, a function, and its lines in `ReaderConfig` and `READERS`."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from polyhead.data.readers.lines import LinesConfig, read_lines
from polyhead.data.readers.pair import Language, Pair, in_chunks, usable
from polyhead.data.readers.pairs import PairsConfig, read_pairs
from polyhead.data.readers.subtitles import SubtitlesConfig, read_subtitles
from polyhead.data.readers.tsv import TsvConfig, read_tsv

ReaderConfig = Annotated[LinesConfig | TsvConfig | PairsConfig | SubtitlesConfig, Field(discriminator="kind")]

READERS: Mapping[str, Callable[[Any], Iterator[Pair]]] = {
    "lines": read_lines,
    "tsv": read_tsv,
    "pairs": read_pairs,
    "subtitles": read_subtitles,
}


def read(config: ReaderConfig) -> Iterator[Pair]:
    """The pairs of a corpus, in order, as they are read. DataError names the file and the line that are wrong."""
    return READERS[config.kind](config)


def read_all(configs: Iterable[ReaderConfig]) -> Iterator[Pair]:
    """The pairs of several corpora, one after the other."""
    for config in configs:
        yield from read(config)


__all__ = [
    "READERS",
    "Language",
    "LinesConfig",
    "Pair",
    "PairsConfig",
    "ReaderConfig",
    "SubtitlesConfig",
    "TsvConfig",
    "in_chunks",
    "read",
    "read_all",
    "usable",
]
