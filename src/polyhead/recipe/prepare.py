"""From files to what training eats: pairs, tokenizers, encoded corpora."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np

from polyhead.data.clean import CleaningReport, rows_to_keep
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
from polyhead.data.statistics import CorpusStatistics
from polyhead.data.weighting import Weights
from polyhead.errors import RecipeError, counted
from polyhead.recipe.directions import both_ways
from polyhead.recipe.hold_out import hold_out
from polyhead.recipe.schema import DataConfig
from polyhead.tokenizers.build import train as train_tokenizer
from polyhead.tokenizers.config import TokenizerConfig, default_vocabulary_size
from polyhead.tokenizers.protocol import Tokenizer


@dataclass(frozen=True)
class Pairs:
    """The corpora of a run as text."""

    train: list[Pair]
    dev: list[Pair]
    test: list[tuple[str, list[Pair]]]
    """Name (the source file's) and pairs of each test set."""
    report: CleaningReport
    held_out: bool
    """Whether dev was taken from the training text because no dev set was given."""
    weights: Weights | None = None
    """[len(train)] how often an epoch has each training pair (`data.weighting`); None: once."""
    flawed: tuple[Pair, ...] = ()
    """What was left out of the pairs to validate on, as it has no finished translation."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The target languages that occur in training, sorted."""
        return tuple(sorted({pair.target_language for pair in self.train if pair.target_language}))

    @property
    def validates_on_training(self) -> bool:
        """Whether dev is the training text itself, as there was nothing that could be held out."""
        return self.held_out and self.dev == self.train


def read_pairs(config: DataConfig, seed: int) -> Pairs:
    """Reads and cleans. Raises DataError naming file and line, RecipeError where nothing is left to train on.

    Test sets are read here too: what is wrong with them is better said before training than after it.
    """
    config = both_ways(config)
    train, weights, report = _read_training(config)
    judged = list(read_with_languages(config.dev, config))
    dev, flawed = list(usable(judged)), tuple(pair for pair in judged if pair.flaw is not None)
    test = [(_name(reader), list(usable(read_with_languages([reader], config)))) for reader in config.test]
    if not train:
        reasons = ", ".join(f"{drop.reason}: {drop.count:,}" for drop in report.dropped) or "there were none"
        raise RecipeError(
            f"nothing is left to train on after cleaning {counted(report.read, 'pair')} ({reasons}); look at the files "
            "with `polyhead check`, or change data.cleaning"
        )
    held_out = not dev
    if held_out:
        learnt, judged = hold_out(train, seed)
        weights = weights[learnt]
        train, dev = [train[row] for row in learnt], [train[row] for row in judged]
    pairs = Pairs(train, dev, test, report, held_out, None if np.all(weights == 1) else weights, flawed)
    _check_languages(pairs)
    return pairs


def _read_training(config: DataConfig) -> tuple[list[Pair], Weights, CleaningReport]:
    """The pairs that cleaning keeps, the weight of each, and the account of the others.

    The heaviest corpora come first, so that of a pair that is in several of them the heaviest one is kept.
    """
    readers = sorted(config.train, key=lambda reader: -reader.weight)
    corpora = [list(read_with_languages([reader], config)) for reader in readers]
    pairs = list(chain.from_iterable(corpora))
    rows, report = rows_to_keep(pairs, config.cleaning)
    weights = np.repeat([reader.weight for reader in readers], [len(corpus) for corpus in corpora])
    return [pairs[row] for row in rows], weights[np.array(rows, np.int64)], report


def read_with_languages(readers: Sequence[ReaderConfig], config: DataConfig) -> Iterator[Pair]:
    """The pairs of some of a recipe's readers, flawed ones too. Those that name no target language get the recipe's."""
    return with_language(read_all(as_read(readers, config)), config.target_language)


def as_read(readers: Sequence[ReaderConfig], config: DataConfig) -> list[ReaderConfig]:
    """Some of a recipe's readers with what the recipe says for all: where files are, which languages are meant."""
    return located([_choosing(reader, config) for reader in readers], config.root)


def _choosing(reader: ReaderConfig, config: DataConfig) -> ReaderConfig:
    """The reader of a file of several languages, which chooses the recipe's where it doesn't say others."""
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
    """Pairs that name no target language get the corpus's."""
    for pair in pairs:
        if language is None or pair.target_language:
            yield pair
        else:
            yield replace(pair, target_language=language)


def make_tokenizers(
    pairs: Sequence[Pair], config: TokenizerConfig, languages: Sequence[str]
) -> tuple[Tokenizer, Tokenizer]:
    """Vocabularies from the training text alone: one for both sides, or one each."""
    tags = languages if len(languages) > 1 else ()
    size = config.vocabulary_size or _suitable_size(pairs, config)
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    if config.shared:
        shared = train_tokenizer([*sources, *targets], config, size, tags)
        return shared, shared
    return train_tokenizer(sources, config, size, tags), train_tokenizer(targets, config, size, ())


def _suitable_size(pairs: Sequence[Pair], config: TokenizerConfig) -> int:
    corpus = CorpusStatistics.of(pairs)
    return default_vocabulary_size(corpus.tokens, corpus.word_types, corpus.characters, config.kind, config.shared)


def _check_languages(pairs: Pairs) -> None:
    """With several target languages every pair must name one, and one that training has."""
    languages = pairs.languages
    if len(languages) < 2:
        return
    for pair in chain(pairs.train, pairs.dev, *(some for _, some in pairs.test)):
        if pair.target_language not in languages:
            named = pair.target_language or "no target language"
            raise RecipeError(
                f"{pair.origin} has {named}, but this model learns {', '.join(languages)}; "
                "set target_language for each of data.train, data.dev and data.test"
            )


def _name(reader: ReaderConfig) -> str:
    match reader:
        case LinesConfig() | SubtitlesConfig():
            return str(reader.source)
        case TsvConfig() | PairsConfig():
            return str(reader.path)
