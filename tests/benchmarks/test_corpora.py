"""Batches on disk, and the text that is translated."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from benchmarks import corpora
from benchmarks.corpora import amounts, dev_set, text_sets, training_text, write_batches
from plain_loop import endless_batches, read_batches
from polyhead.data.store import EncodedCorpus, flatten, offsets_of
from polyhead.errors import DataError
from polyhead.symbols import EOS, SOS
from polyhead.tokenizers.config import TokenizerConfig

SOURCES = [[5, 6, 7], [8], [9, 10], [11, 12, 13, 14]]
TARGETS = [[20], [21, 22], [23, 24, 25], [26]]


@pytest.fixture
def corpus() -> EncodedCorpus:
    (source_ids, sources), (target_ids, targets) = flatten(SOURCES, 100), flatten(TARGETS, 100)
    return EncodedCorpus(source_ids, offsets_of([sources]), target_ids, offsets_of([targets]))


def test_a_driver_reads_the_batches_that_were_written(corpus: EncodedCorpus, tmp_path: Path) -> None:
    write_batches(tmp_path / "batches.npz", corpus, shuffle=False)
    read: dict[tuple[int, ...], tuple[list[int], list[int]]] = {}
    for source, target_in, target_out in read_batches(tmp_path / "batches.npz"):
        for row in range(len(source)):
            ids = tuple(token for token in source[row].tolist() if token)
            read[ids] = (target_in[row][target_in[row] > 0].tolist(), target_out[row][target_out[row] > 0].tolist())
    expected = {(*s, EOS): ([SOS, *t], [*t, EOS]) for s, t in zip(SOURCES, TARGETS, strict=True)}
    assert read == expected


def test_the_first_batch_follows_the_last_one(
    corpus: EncodedCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "MAX_TOKENS", 16)
    write_batches(tmp_path / "batches.npz", corpus, shuffle=True)
    once = [source.tolist() for source, _, _ in read_batches(tmp_path / "batches.npz")]
    twice = [source.tolist() for source, _, _ in islice(endless_batches(tmp_path / "batches.npz"), 2 * len(once))]
    assert len(once) > 1
    assert twice == once + once


def test_padding_is_not_counted(corpus: EncodedCorpus, tmp_path: Path) -> None:
    write_batches(tmp_path / "batches.npz", corpus, shuffle=False)
    found = amounts(tmp_path / "batches.npz")
    assert sum(one.sentences for one in found) == 4
    assert sum(one.source_tokens for one in found) == 10 + 4
    assert sum(one.target_tokens for one in found) == 7 + 4


def test_batches_stay_within_the_budget(corpus: EncodedCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "MAX_TOKENS", 16)
    write_batches(tmp_path / "batches.npz", corpus, shuffle=True)
    for source, target_in, target_out in read_batches(tmp_path / "batches.npz"):
        assert target_in.shape == target_out.shape
        assert len(source) == 1 or source.numel() + target_in.numel() <= 16


def data(folder: Path) -> Path:
    long = " ".join(["word"] * corpora.LONG_WORDS)
    files = {
        "multi30k-en-de/test_2016_flickr": ("en", "de", ["A dog.", "A cat."]),
        "tatoeba-en-fr/test": ("en", "fr", ["Go.", "Stop."]),
        "pydocs-en-ko/test_pydocs": ("en", "ko", ["Too short.", long]),
        "multi30k-en-de/val": ("en", "de", ["A bird.", "A horse."]),
    }
    for name, (source, target, lines) in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        for language in (source, target):
            text = "".join(f"{line} ({language})\n" for line in lines)
            (folder / f"{name}.{language}").write_text(text, encoding="utf-8")
    return folder


def test_test_sets_keep_pairs_together_and_of_documentation_the_long_sentences(tmp_path: Path) -> None:
    found = text_sets(data(tmp_path), sentences=1)
    assert found["multi30k"].sources == ("A dog. (en)",)
    assert found["multi30k"].references == ("A dog. (de)",)
    assert found["pydocs"].sources[0].startswith("word word")
    assert found["pydocs"].references[0].endswith("(ko)")
    assert dev_set(tmp_path).references == ("A bird. (de)", "A horse. (de)")


def test_absent_data_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="--data DIR"):
        text_sets(tmp_path / "nowhere", 1)


def test_arrays_are_small_on_disk(corpus: EncodedCorpus, tmp_path: Path) -> None:
    write_batches(tmp_path / "batches.npz", corpus, shuffle=False)
    with np.load(tmp_path / "batches.npz") as stored:
        assert {array.dtype.name for array in stored.values()} == {"uint16"}


def test_batches_are_drawn_anew_each_time_and_the_vocabulary_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = data(tmp_path) / "multi30k-en-de"
    for language in ("en", "de"):
        (folder / f"train.{language}").write_text("A dog runs.\nTwo cats sleep now.\n" * 20, encoding="utf-8")
    monkeypatch.setattr(corpora, "TOKENIZER", TokenizerConfig(kind="char", vocabulary_size=300))
    first = training_text(tmp_path, tmp_path / "cache")
    vocabulary, batches = first.vocabulary.read_bytes(), len(amounts(first.batches))
    monkeypatch.setattr(corpora, "MAX_TOKENS", 200)
    second = training_text(tmp_path, tmp_path / "cache")
    assert second.vocabulary.read_bytes() == vocabulary
    assert len(amounts(second.batches)) > batches
