"""An encoded corpus on disk is the one in memory."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.data.store import EncodedCorpus, flatten, offsets_of
from polyhead.errors import DataError

SENTENCES = st.lists(st.lists(st.integers(0, 70_000), max_size=5), max_size=6)


def corpus_of(sources: list[list[int]], targets: list[list[int]], vocabulary_size: int = 70_001) -> EncodedCorpus:
    source_ids, source_lengths = flatten(sources, vocabulary_size)
    target_ids, target_lengths = flatten(targets, vocabulary_size)
    return EncodedCorpus(source_ids, offsets_of([source_lengths]), target_ids, offsets_of([target_lengths]))


@given(SENTENCES)
def test_sentences_come_back_from_disk(tmp_path_factory: pytest.TempPathFactory, sentences: list[list[int]]) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    corpus = corpus_of(sentences, sentences[::-1])
    corpus.save(folder)
    for each in (corpus, EncodedCorpus.open(folder)):
        assert len(each) == len(sentences)
        assert [each.source(i).tolist() for i in range(len(each))] == sentences
        assert [each.target(i).tolist() for i in range(len(each))] == sentences[::-1]
        assert each.source_lengths.tolist() == [len(sentence) + 1 for sentence in sentences]
        assert each.target_lengths.tolist() == [len(sentence) + 1 for sentence in sentences[::-1]]


def test_small_vocabularies_take_two_bytes_a_token() -> None:
    assert corpus_of([[65_535]], [[1]], 65_536).source_ids.dtype == np.uint16
    assert corpus_of([[65_536]], [[1]], 65_537).source_ids.dtype == np.uint32


def test_an_opened_corpus_stays_on_disk(tmp_path: Path) -> None:
    corpus_of([[1, 2], [3]], [[4], [5]]).save(tmp_path)
    assert isinstance(EncodedCorpus.open(tmp_path).source_ids, np.memmap)


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-4]),
        lambda path: np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True),
        lambda path: np.save(path, np.array([0, 4, 3])),
        lambda path: np.save(path, np.array([0, 2])),
        lambda path: np.save(path, np.array([[0, 2, 3]])),
    ],
)
def test_a_damaged_corpus_is_refused(harm: Callable[[Path], object], tmp_path: Path) -> None:
    corpus_of([[1, 2], [3]], [[4], [5]]).save(tmp_path)
    harm(tmp_path / "source_offsets.npy")
    with pytest.raises(DataError, match="encode it again"):
        EncodedCorpus.open(tmp_path)
