"""From files to what training takes: pairs and tokenizers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np

from polyhead.data.clean import CleaningReport, rows_to_keep
from polyhead.data.digests import Digests, digests_of_content
from polyhead.data.readers import (
    LinesConfig,
    Pair,
    PairsConfig,
    ReaderConfig,
    SubtitlesConfig,
    TsvConfig,
    read_all,
    usable,
)
from polyhead.data.statistics import CorpusStatistics, evenly
from polyhead.data.stored.read_lock import ReadLock
from polyhead.data.weighting import Weights
from polyhead.errors import RecipeError, counted
from polyhead.recipe.directions import both_ways
from polyhead.recipe.facts import Facts
from polyhead.recipe.hold_out import hold_out
from polyhead.recipe.schema import DataConfig
from polyhead.tokenizers.build import train as train_tokenizer
from polyhead.tokenizers.config import TokenizerConfig, default_vocabulary_size
from polyhead.tokenizers.protocol import Tokenizer

LEARNT_FROM = 500_000
"""Pairs that vocabularies are learnt from where the corpus is large."""


@dataclass(frozen=True)
class Stored:
    """A corpus that is prepared on disk."""

    store: Path
    """The directory of all such corpora."""
    directory: Path
    """The directory of this corpus, below the store."""
    facts: Facts
    contents: Digests
    """[N] `digests_of_content` of the training pairs, mapped from their file."""
    lock: ReadLock
    """Keeps other processes from deleting the directory."""


@dataclass(frozen=True)
class Pairs:
    """The corpora of a run as text."""

    train: Sequence[Pair]
    """The pairs to learn from: a list, or for a large corpus an object that reads them from the disk."""
    dev: list[Pair]
    test: list[tuple[str, list[Pair]]]
    """Name (the source file's) and pairs of each test set."""
    report: CleaningReport
    held_out: bool
    """Whether dev was taken from the training text because no dev set was given."""
    weights: Weights | None = None
    """[len(train)] how often an epoch has each training pair (`data.weighting`); None: once."""
    flawed: tuple[Pair, ...] = ()
    """The pairs that were left out of the dev set, as they have no finished translation."""
    stored: Stored | None = None
    """Where a large corpus is prepared on disk; None: it is in memory."""

    @cached_property
    def facts(self) -> Facts:
        """What is known of the training pairs."""
        return Facts.of(self.train, self.weights) if self.stored is None else self.stored.facts

    @property
    def contents(self) -> Digests:
        """[N] `digests_of_content` of the training pairs."""
        return digests_of_content(self.train) if self.stored is None else self.stored.contents

    @property
    def languages(self) -> tuple[str, ...]:
        """The target languages that occur in training, sorted."""
        return self.facts.languages

    @property
    def validates_on_training(self) -> bool:
        """Whether dev is the training text itself, as there was nothing that could be held out."""
        return self.held_out and len(self.dev) == len(self.train) and self.dev == list(self.train)


def read_pairs(config: DataConfig, seed: int) -> Pairs:
    """Reads the corpora of a run, and cleans the training text.

    Raises DataError naming file and line, and RecipeError where nothing is left to train on.

    Test sets are read here too: what is wrong with them is better said before training than after it.
    """
    config = both_ways(config)
    train, weights, report = _read_training(config)
    judged = list(read_with_languages(config.dev, config))
    dev, flawed = list(usable(judged)), tuple(pair for pair in judged if pair.flaw is not None)
    test = [(name_of(reader), list(usable(read_with_languages([reader], config)))) for reader in config.test]
    check_left(report)
    held_out = not dev
    if held_out:
        learnt, judged = hold_out(train, seed)
        weights = weights[learnt]
        train, dev = [train[row] for row in learnt], [train[row] for row in judged]
    pairs = Pairs(train, dev, test, report, held_out, None if np.all(weights == 1) else weights, flawed)
    check_languages(pairs)
    return pairs


def check_left(report: CleaningReport) -> None:
    """Raises RecipeError where cleaning left nothing."""
    if not report.kept:
        reasons = ", ".join(f"{drop.reason}: {drop.count:,}" for drop in report.dropped) or "there were none"
        raise RecipeError(
            f"nothing is left to train on after cleaning {counted(report.read, 'pair')} ({reasons}); look at the files "
            "with `polyhead check`, or change data.cleaning"
        )


def _read_training(config: DataConfig) -> tuple[list[Pair], Weights, CleaningReport]:
    """The training pairs that cleaning keeps, the weight of each, and the report on the others.

    The heaviest corpora come first, so that a pair that is in several of them is kept with the largest weight.
    """
    readers = by_weight(config)
    corpora = [list(read_with_languages([reader], config)) for reader in readers]
    pairs = list(chain.from_iterable(corpora))
    rows, report = rows_to_keep(pairs, config.cleaning)
    weights = np.repeat([reader.weight for reader in readers], [len(corpus) for corpus in corpora])
    return [pairs[row] for row in rows], weights[np.array(rows, np.int64)], report


def by_weight(config: DataConfig) -> list[ReaderConfig]:
    """The readers of the training text, the heaviest first."""
    return sorted(config.train, key=lambda reader: -reader.weight)


def read_with_languages(readers: Sequence[ReaderConfig], config: DataConfig) -> Iterator[Pair]:
    """The pairs of some of a recipe's readers, flawed ones too. Those that name no target language get the recipe's."""
    return with_language(read_all(as_read(readers, config)), config.target_language)


def as_read(readers: Sequence[ReaderConfig], config: DataConfig) -> list[ReaderConfig]:
    """Some of a recipe's readers with what the recipe says for all: where files are, which languages are meant."""
    return located([_choosing(reader, config) for reader in readers], config.root)


def _choosing(reader: ReaderConfig, config: DataConfig) -> ReaderConfig:
    """The reader; one of a file of both languages gets the recipe's languages where it names none."""
    if not isinstance(reader, PairsConfig):
        return reader
    languages = {
        "source_language": reader.source_language or config.source_language,
        "target_language": reader.target_language or config.target_language,
    }
    return reader.model_copy(update=languages)


def located(readers: Sequence[ReaderConfig], root: Path) -> list[ReaderConfig]:
    """The readers with their paths below `root`; absolute paths stay as they are."""
    found: list[ReaderConfig] = []
    for reader in readers:
        match reader:
            case LinesConfig() | SubtitlesConfig():
                paths = {"source": root / reader.source, "target": root / reader.target}
            case TsvConfig() | PairsConfig():
                paths = {"path": root / reader.path}
        found.append(reader.model_copy(update=paths))
    return found


def with_language(pairs: Iterable[Pair], language: str | None) -> Iterator[Pair]:
    """The pairs, in which those that name no target language get `language`."""
    for pair in pairs:
        if language is None or pair.target_language:
            yield pair
        else:
            yield replace(pair, target_language=language)


def make_tokenizers(
    pairs: Sequence[Pair], config: TokenizerConfig, languages: Sequence[str]
) -> tuple[Tokenizer, Tokenizer]:
    """Vocabularies from the training text alone: one for both sides, or one each. Of a large corpus a sample does."""
    tags = languages if len(languages) > 1 else ()
    size = config.vocabulary_size or _suitable_size(pairs, config)
    pairs = evenly(pairs, LEARNT_FROM)
    sources, targets = (pair.source for pair in pairs), (pair.target for pair in pairs)
    if config.shared:
        shared = train_tokenizer(chain(sources, targets), config, size, tags)
        return shared, shared
    return train_tokenizer(sources, config, size, tags), train_tokenizer(targets, config, size, ())


def _suitable_size(pairs: Sequence[Pair], config: TokenizerConfig) -> int:
    corpus = CorpusStatistics.of(pairs)
    return default_vocabulary_size(corpus.tokens, corpus.word_types, corpus.characters, config.kind, config.shared)


def check_languages(pairs: Pairs) -> None:
    """Raises RecipeError where there are several target languages and a pair names none, or one that training lacks."""
    languages, unnamed = pairs.languages, pairs.facts.unnamed
    if len(languages) < 2:
        return
    found = [(unnamed, None)] if unnamed is not None else []
    others = chain(pairs.dev, *(some for _, some in pairs.test))
    found += [(pair.origin, pair.target_language) for pair in others if pair.target_language not in languages]
    for origin, language in found[:1]:
        raise RecipeError(
            f"{origin} has {language or 'no target language'}, but this model learns {', '.join(languages)}; "
            "set target_language for each of data.train, data.dev and data.test"
        )


def name_of(reader: ReaderConfig) -> str:
    match reader:
        case LinesConfig() | SubtitlesConfig():
            return str(reader.source)
        case TsvConfig() | PairsConfig():
            return str(reader.path)
