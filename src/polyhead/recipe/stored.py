"""A corpus that is prepared on disk: read from there if an earlier run has prepared the same one, else made.

STORE/corpus-KEY/             the text (`data.stored.texts`), what is known of it, and below
  record.json                 what it was made from and what became of it
  contents.uint64             [N] digests by which training pairs are found among those to validate on
  weights.float64             [N] how often an epoch has each training pair; missing where that is always once
  tokenizer-KEY/              vocabularies
  tokens-KEY/                 token ids (`data.stored.tokens`)

Each key is a digest of all that its directory follows from.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import polyhead
from polyhead.bundle.load import load_tokenizers
from polyhead.bundle.save import tokenizer_files
from polyhead.cores import cores
from polyhead.data.encode import Encoder, EncodingReport
from polyhead.data.readers import usable
from polyhead.data.store import EncodedCorpus
from polyhead.data.stored.arrays import mapped
from polyhead.data.stored.judging import CONTENTS
from polyhead.data.stored.processes import Share
from polyhead.data.stored.read_lock import ReadLock, delete_unused
from polyhead.data.stored.stamps import bytes_of, files_of, stamps_of
from polyhead.data.stored.texts import ROWS, StoredPairs
from polyhead.data.stored.tokens import encode_all, open_tokens
from polyhead.data.stored.whole import Say, make_once
from polyhead.limits import LARGEST_RECORD
from polyhead.reading import read_text
from polyhead.recipe.directions import both_ways
from polyhead.recipe.prepare import (
    Pairs,
    Stored,
    as_read,
    by_weight,
    check_languages,
    name_of,
    read_pairs,
    read_with_languages,
)
from polyhead.recipe.schema import DataConfig, Recipe
from polyhead.recipe.stored_text import RECORD, WEIGHTS, Identity, Record, make_text
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.tokenizers.protocol import Tokenizer

FORMAT = 2
"""The version of what is written here. It is a part of a corpus's key, so another version is made anew."""
LARGE = 256_000_000
"""Bytes of training text above which the text isn't kept in memory."""
NAME = "polyhead-store"


def store_for(recipe: Recipe) -> tuple[Path, str] | None:
    """The directory in which a recipe's corpus is prepared, and why; None for one that is kept in memory."""
    files = files_of(as_read(recipe.data.train, recipe.data))
    size = bytes_of(files) if files is not None else 0
    if recipe.data.store is not None and files is not None:
        return recipe.data.store, "as it is asked for"
    why = f"{size / 1e6:,.0f} MB of training text are read from the disk and not kept in memory"
    return (recipe.out.parent / NAME, why) if size > LARGE else None


def read_corpus(recipe: Recipe, say: Say) -> Pairs:
    """A recipe's text, in memory or prepared on disk. Raises what `prepare.read_pairs` and `read_stored` raise."""
    if (place := store_for(recipe)) is None:
        return read_pairs(recipe.data, recipe.seed)
    return read_stored(recipe.data, recipe.seed, place[0], say)


def read_stored(config: DataConfig, seed: int, store: Path, say: Say) -> Pairs:
    """`prepare.read_pairs` for a corpus that is prepared in a store. Raises the same errors, and WriteError."""
    config = both_ways(config)
    judged = list(read_with_languages(config.dev, config))
    dev, flawed = list(usable(judged)), tuple(pair for pair in judged if pair.flaw is not None)
    test = [(name_of(reader), list(usable(read_with_languages([reader], config)))) for reader in config.test]
    held_out = not dev
    identity = _identity(config, seed if held_out else None)
    directory = store / f"corpus-{_key(identity)}"
    lock = _made(directory, store, lambda new: make_text(new, identity, config, say), say)
    _remove_outdated(store, identity)
    record = Record.model_validate_json(read_text(directory / RECORD, LARGEST_RECORD))
    if held_out:
        dev = list(StoredPairs(directory, np.array(record.held_out, np.int64)))
    stored = Stored(store, directory, record.facts, mapped(directory / CONTENTS), lock)
    weights = mapped(directory / WEIGHTS) if (directory / WEIGHTS).exists() else None
    train = StoredPairs(directory, mapped(directory / ROWS))
    pairs = Pairs(train, dev, test, record.report, held_out, weights, flawed, stored)
    check_languages(pairs)
    say(f"the corpus is prepared in {directory}")
    return pairs


def stored_tokenizers(
    stored: Stored,
    config: TokenizerConfig,
    languages: Sequence[str],
    train: Callable[[], tuple[Tokenizer, Tokenizer]],
    say: Say,
) -> tuple[Tokenizer, Tokenizer]:
    """The vocabularies for these settings, read from the store or, where it has none, made by `train`."""
    without = config.model_dump(mode="json", exclude={"dropout"})  # which only training sees
    directory = stored.directory / f"tokenizer-{_key({'settings': without, 'languages': list(languages)})}"

    def make(new: Path) -> None:
        for name, tokenizer in tokenizer_files(config, *train()).items():
            tokenizer.save(new / name)

    make_once(directory, stored.store, make, say)
    return load_tokenizers(directory, config)


def stored_tokens(stored: Stored, encoder: Encoder, say: Say) -> tuple[EncodedCorpus, EncodingReport]:
    """The training pairs' token ids, read from the store or, where it has none, made."""
    settings: dict[str, Any] = {"tagged": encoder.tagged, "max_tokens": encoder.max_tokens}
    with TemporaryDirectory() as elsewhere:
        for side, tokenizer in (("source", encoder.source), ("target", encoder.target)):
            tokenizer.save(Path(elsewhere, side))
            settings[side] = hashlib.sha256(Path(elsewhere, side).read_bytes()).hexdigest()
            settings[f"{side} settings"] = tokenizer.config.model_dump(mode="json", exclude={"dropout"})
    directory = stored.directory / f"tokens-{_key(settings)}"
    share = Share(cores(), say=say, what="encoded")
    make_once(directory, stored.store, lambda new: encode_all(stored.directory, encoder, new, share), say)
    return open_tokens(directory)


def _made(directory: Path, store: Path, make: Callable[[Path], None], say: Say) -> ReadLock:
    """`make_once` → what keeps other processes from deleting the directory."""
    while True:
        make_once(directory, store, make, say)
        with suppress(FileNotFoundError):  # another process deleted it just now
            return ReadLock(directory / RECORD)


def _identity(config: DataConfig, seed: int | None) -> Identity:
    """All that a text and its record follow from. seed: decides which pairs are held out; None: none are"""
    readers = as_read(by_weight(config), config)
    return {
        "format": FORMAT,
        "polyhead": polyhead.__version__,
        "readers": [reader.model_dump(mode="json") for reader in readers],
        "target_language": config.target_language,
        "cleaning": config.cleaning.model_dump(mode="json"),
        "hold_out": seed,
        "files": [list(stamp) for stamp in stamps_of(files_of(readers) or [])],
    }


def _key(identity: Identity) -> str:
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]


def _remove_outdated(store: Path, identity: Identity) -> None:
    """Deletes what was made of the same files before they changed, unless a process still reads it."""
    for path in store.glob(f"corpus-*/{RECORD}"):
        try:
            other = json.loads(read_text(path, LARGEST_RECORD))["identity"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if other != identity and {**other, "files": []} == {**identity, "files": []}:
            delete_unused(path)
