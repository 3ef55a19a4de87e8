"""The corpora that defaults are measured on: real text cut to sizes that people have, and a small made-up language."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyhead.corpora.text_lines import read_text_lines
from polyhead.demo.grammar import generate
from polyhead.files import write_text

SIZES = (1_000, 3_000, 10_000, 30_000, 60_000, 140_000)
"""Sentence pairs; a corpus that has fewer is taken whole for the next size."""


@dataclass(frozen=True)
class Source:
    """A corpus to cut: aligned files below the data folder, by their names without the language."""

    folder: str
    train: str
    dev: str
    languages: tuple[str, str]
    pairs: int


SOURCES = {
    "captions": Source("multi30k-en-de", "train", "val", ("en", "de"), 29_000),
    "docs": Source("pydocs-en-ko", "train", "dev", ("en", "ko"), 60_619),
    "talk": Source("tatoeba-en-fr", "train", "dev", ("en", "fr"), 140_045),
}
_HAN = {ord("가") + syllable: ord("一") + syllable for syllable in range(11_172)} | {ord(" "): None}
"""For each Korean syllable a Chinese character, and nothing for a space."""


def without_spaces(korean: str) -> str:
    """A Korean sentence as Chinese is written: a Chinese character for each syllable, and no spaces between words."""
    return korean.translate(_HAN)


@dataclass(frozen=True)
class Grammar:
    """The demonstration's grammar: the language into which it is translated from English, and how that is written."""

    language: str
    written: Callable[[str], str] = str


GRAMMARS = {
    "grammar-fr": Grammar("fr"),
    "grammar-ko": Grammar("ko"),
    "grammar-unspaced": Grammar("ko", without_spaces),
}
"""Name → the grammar in one language."""
GRAMMAR_SIZES = (1_000, 3_000, 9_000, 30_000)


@dataclass(frozen=True)
class Cell:
    """A corpus of one size and one direction."""

    corpus: str
    size: int
    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.corpus}-{self.size}:{self.source}-{self.target}"


@dataclass(frozen=True)
class Files:
    """Where a cell's text lies: to train on, and held out to judge by, which the training never sees."""

    train: tuple[Path, Path]
    dev: tuple[Path, Path]


def cells() -> list[Cell]:
    """All of them, small ones first."""
    found = [
        Cell(name, size, *direction)
        for name, source in SOURCES.items()
        for size in SIZES
        if size <= 1.1 * source.pairs
        for direction in (source.languages, source.languages[::-1])
    ]
    found += [
        Cell(name, size, *direction)
        for name, grammar in GRAMMARS.items()
        for size in GRAMMAR_SIZES
        for direction in (("en", grammar.language), (grammar.language, "en"))
    ]
    return sorted(found, key=lambda cell: cell.size)


def files(cell: Cell, data: Path, cache: Path) -> Files:
    """Writes the cell's text where it is not there yet. Smaller cuts are parts of larger ones."""
    languages = (cell.source, cell.target)
    train, dev = (tuple(cache / f"{name}.{language}" for language in languages) for name in _names(cell))
    if not all(path.exists() for path in (*train, *dev)):
        cache.mkdir(parents=True, exist_ok=True)
        for paths, pairs in zip((train, dev), _pairs(cell, data), strict=True):
            for side, path in enumerate(paths):
                write_text(path, "".join(f"{pair[side]}\n" for pair in pairs))
    return Files((train[0], train[1]), (dev[0], dev[1]))


def _names(cell: Cell) -> tuple[str, str]:
    return f"{cell.corpus}-{cell.size}.train", f"{cell.corpus}.dev"


def _pairs(cell: Cell, data: Path) -> tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str]]]:
    """Pairs to train on and to judge by, in the cell's direction."""
    if grammar := GRAMMARS.get(cell.corpus):
        corpus = generate(1)
        both = [
            [(each.source, grammar.written(each.target)) for each in examples if each.language == grammar.language]
            for examples in (corpus.train, corpus.dev)
        ]
        turned = cell.source != "en"
    else:
        source = SOURCES[cell.corpus]
        folder = data / source.folder
        both = [
            list(zip(*(read_text_lines(folder / f"{name}.{side}") for side in source.languages), strict=True))
            for name in (source.train, source.dev)
        ]
        turned = (cell.source, cell.target) != source.languages
    train, dev = ([pair[::-1] for pair in pairs] if turned else pairs for pairs in both)
    return random.Random(1).sample(train, min(cell.size, len(train))), dev
