"""The text that is measured on, one vocabulary, and the batches that every system is given."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.sizes import VOCABULARY
from polyhead.batch import Batch
from polyhead.data.batching import BatchingConfig, batches
from polyhead.data.encode import encode
from polyhead.data.loader import collate_rows
from polyhead.data.readers import Pair
from polyhead.data.store import EncodedCorpus
from polyhead.data.windows import Window
from polyhead.errors import DataError
from polyhead.files import atomic_file
from polyhead.recipe.prepare import make_tokenizers, read_pairs
from polyhead.recipe.schema import DataConfig
from polyhead.symbols import PAD
from polyhead.tokenizers.build import load as load_tokenizer
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.tokenizers.protocol import Tokenizer

TOKENIZER = TokenizerConfig(kind="bpe", vocabulary_size=VOCABULARY)
MAX_TOKENS = 8192
"""The most tokens in a training batch: sentences × (longest source + longest target), padding included."""
VOCABULARY_FILE = "shared.spm"
JUDGED_SENTENCES = 400
"""Sentences of the dev set whose likelihood says whether all systems learn alike."""


@dataclass(frozen=True)
class TextSet:
    """Sentences to translate, and what they should become."""

    name: str
    language: str
    """Of the translation."""
    sources: tuple[str, ...]
    references: tuple[str, ...]


@dataclass(frozen=True)
class TrainingText:
    """Files that drivers read: the vocabulary, batches to train on, and batches to judge by."""

    vocabulary: Path
    batches: Path
    judged: Path
    pieces: int
    """V as trained."""


def data_config(data: Path) -> dict[str, Any]:
    """Multi30k English → German, as the project's own recipe reads it."""
    return {
        "root": str(data / "multi30k-en-de"),
        "source_language": "en",
        "target_language": "de",
        "train": [{"kind": "lines", "source": "train.en", "target": "train.de"}],
        "dev": [{"kind": "lines", "source": "val.en", "target": "val.de"}],
        "batching": {"max_tokens": MAX_TOKENS},
    }


def training_text(data: Path, cache: Path) -> TrainingText:
    """Trains the vocabulary on the training text, once; encodes it and writes the batches of one epoch, every time.

    Batches that were kept would not be those that the package now draws. Raises DataError where the data isn't there.
    """
    folder = cache / "multi30k-en-de"
    vocabulary = folder / VOCABULARY_FILE
    pairs = read_pairs(DataConfig.model_validate(data_config(_existing(data))), seed=1)
    if not vocabulary.exists():
        folder.mkdir(parents=True, exist_ok=True)
        make_tokenizers(pairs.train, TOKENIZER, pairs.languages)[0].save(vocabulary)
    tokenizer = load_tokenizer(vocabulary, TOKENIZER)
    return encoded_text(folder, tokenizer, pairs.train, pairs.dev[:JUDGED_SENTENCES])


def encoded_text(
    folder: Path, tokenizer: Tokenizer, pairs: Sequence[Pair], judged: Sequence[Pair], max_tokens: int | None = None
) -> TrainingText:
    """Writes the batches of one epoch, and those to be judged by, beside the vocabulary that is in a folder.

    max_tokens: as of `write_batches`
    """
    training, judging = folder / "train.npz", folder / "judged.npz"
    write_batches(judging, encoded(judged, tokenizer), shuffle=False, max_tokens=max_tokens)
    write_batches(training, encoded(pairs, tokenizer), shuffle=True, max_tokens=max_tokens)
    return TrainingText(folder / VOCABULARY_FILE, training, judging, tokenizer.vocabulary_size)


def encoded(pairs: Sequence[Pair], tokenizer: Tokenizer) -> EncodedCorpus:
    """Token ids of both sides."""
    corpus, _ = encode(pairs, tokenizer, tokenizer, False, max_tokens=256)
    return corpus


def write_batches(path: Path, corpus: EncodedCorpus, *, shuffle: bool, max_tokens: int | None = None) -> None:
    """Padded arrays under the names `0.source`, `0.target_in`, `0.target_out`, `1.source` …

    max_tokens: the most tokens in a batch, if not `MAX_TOKENS`
    """
    config = BatchingConfig(max_tokens=max_tokens or MAX_TOKENS, shuffle=shuffle)
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    for number, rows in enumerate(
        batches(corpus.source_lengths, corpus.target_lengths, config, seed=1, window=Window())
    ):
        for name, array in arrays_of(collate_rows(corpus, rows)).items():
            arrays[f"{number}.{name}"] = array
    with atomic_file(path) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def arrays_of(batch: Batch) -> dict[str, np.ndarray[Any, Any]]:
    """The batch's tensors by name, small: ids are below 65,536."""
    tensors = {"source": batch.source, "target_in": batch.target_in, "target_out": batch.target_out}
    return {name: tensor.numpy().astype(np.uint16) for name, tensor in tensors.items()}


@dataclass(frozen=True)
class Amounts:
    """What is in a batch, padding left out."""

    sentences: int
    source_tokens: int
    target_tokens: int


def amounts(path: Path) -> list[Amounts]:
    """Of each batch that `write_batches` wrote."""
    with np.load(path) as stored:
        numbers = range(len(stored.files) // 3)
        sides = [(stored[f"{i}.source"], stored[f"{i}.target_out"]) for i in numbers]
    return [Amounts(len(source), int((source != PAD).sum()), int((target != PAD).sum())) for source, target in sides]


def text_sets(data: Path, sentences: int) -> dict[str, TextSet]:
    """The first `sentences` of each test set; of documentation those that are long."""
    folders = {
        "multi30k": ("de", "multi30k-en-de/test_2016_flickr.en", "multi30k-en-de/test_2016_flickr.de"),
        "tatoeba": ("fr", "tatoeba-en-fr/test.en", "tatoeba-en-fr/test.fr"),
        "pydocs": ("ko", "pydocs-en-ko/test_pydocs.en", "pydocs-en-ko/test_pydocs.ko"),
    }
    found: dict[str, TextSet] = {}
    for name, (language, source, target) in folders.items():
        pairs = list(zip(_lines(_existing(data) / source), _lines(data / target), strict=True))
        if name == "pydocs":
            pairs = [pair for pair in pairs if len(pair[0].split()) >= LONG_WORDS]
        kept = pairs[:sentences]
        found[name] = TextSet(name, language, tuple(s for s, _ in kept), tuple(t for _, t in kept))
    return found


def dev_set(data: Path) -> TextSet:
    """Multi30k's dev set, by which the time to a BLEU is taken."""
    folder = _existing(data) / "multi30k-en-de"
    sources, references = _lines(folder / "val.en"), _lines(folder / "val.de")
    return TextSet("multi30k dev", "de", tuple(sources), tuple(references))


LONG_WORDS = 20
"""Words from which on a sentence of documentation is a long one."""


def write_json(path: Path, value: Any) -> None:
    """Writes it atomically, for people to read too; makes the directory if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as temporary:
        temporary.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _existing(data: Path) -> Path:
    if not data.is_dir():
        raise DataError("there is no such directory; name the folder with the corpora: --data DIR", data)
    return data


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").rstrip("\n").split("\n")
