"""Pairs become the ids that their tokenizers give, and none is lost without being counted."""

import numpy as np
import pytest

from polyhead.data.encode import Encoder, EncodingReport, encode, sampled_in_epochs
from polyhead.data.readers import Pair
from polyhead.data.store import EncodedCorpus
from polyhead.data.weighting import CorpusForEpoch
from polyhead.data.windows import Window
from polyhead.errors import ModelError
from polyhead.tokenizers import Tokenizer, TokenizerConfig, train

TEXTS = [f"The {a} dog number {i} runs." for i in range(10) for a in ("small", "big")]
PAIRS = [Pair(text, text.upper(), "fr" if i % 2 else None, f"f:{i + 1}") for i, text in enumerate(TEXTS)]


def tokenizer(dropout: float = 0.0) -> Tokenizer:
    return train([*TEXTS, *(text.upper() for text in TEXTS)], TokenizerConfig(dropout=dropout), 340, ["fr"])


@pytest.mark.parametrize("tagged", [False, True])
def test_the_ids_are_the_tokenizers(tagged: bool) -> None:
    subject = tokenizer()
    corpus, report = encode(PAIRS, subject, subject, tagged)
    assert (report.kept, report.too_long, report.example) == (len(PAIRS), 0, None)
    for row, pair in enumerate(PAIRS):
        tag = [subject.tag("fr")] if tagged and pair.target_language else []
        assert corpus.source(row).tolist() == tag + subject.encode(pair.source)
        assert corpus.target(row).tolist() == subject.encode(pair.target)


def test_chunks_make_one_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = tokenizer()
    whole, _ = encode(PAIRS, subject, subject, True)
    monkeypatch.setattr("polyhead.data.encode._CHUNK", 3)
    parts, _ = encode(PAIRS, subject, subject, True)
    assert np.array_equal(whole.source_ids, parts.source_ids)
    assert np.array_equal(whole.target_offsets, parts.target_offsets)


def test_too_long_pairs_are_left_out_and_counted() -> None:
    subject = tokenizer()
    long = [Pair("dog " * 30, "x", "fr", "g:1"), Pair("x", "DOG " * 30, None, "g:2")]
    corpus, report = encode([*PAIRS[:3], *long, *PAIRS[3:]], subject, subject, True, max_tokens=30)
    assert (report.kept, report.too_long, report.example) == (len(PAIRS), 2, "g:1")
    assert len(corpus) == len(PAIRS)
    assert corpus.source(3).tolist() == [subject.tag("fr"), *subject.encode(PAIRS[3].source)]


def test_the_limit_counts_tag_and_end() -> None:
    subject = tokenizer()
    tokens = len(subject.encode(PAIRS[1].source))
    target_tokens = len(subject.encode("A"))
    pair = Pair(PAIRS[1].source, "A", "fr", "f:1")
    assert target_tokens < tokens
    assert encode([pair], subject, subject, True, max_tokens=tokens + 2)[1].kept == 1
    assert encode([pair], subject, subject, True, max_tokens=tokens + 1)[1].kept == 0
    assert encode([pair], subject, subject, False, max_tokens=tokens + 1)[1].kept == 1


def test_no_pairs_are_an_empty_corpus() -> None:
    subject = tokenizer()
    assert len(encode([], subject, subject, True)[0]) == 0


def test_a_language_without_a_tag_is_an_error() -> None:
    subject = tokenizer()
    with pytest.raises(ModelError, match="fr"):
        encode([Pair("a", "b", "de", "f:1")], subject, subject, True)


def test_sampling_depends_on_its_seed_alone() -> None:
    subject = tokenizer(0.3)
    first = encode(PAIRS, subject, subject, True, sampling_seed=1)[0]
    other = encode(PAIRS, subject, subject, True, sampling_seed=2)[0]
    again = encode(PAIRS, subject, subject, True, sampling_seed=1)[0]
    assert np.array_equal(first.source_ids, again.source_ids)
    assert np.array_equal(first.target_ids, again.target_ids)
    assert not np.array_equal(first.source_ids, other.source_ids)
    assert subject.decode(other.source(0).tolist()) == PAIRS[0].source


def test_sampling_never_loses_a_pair() -> None:
    subject = tokenizer(0.2)
    longest = 2 + max(len(ids) for pair in PAIRS for ids in subject.encode_many([pair.source, pair.target]))
    for seed in range(30):
        sampled, report = encode(PAIRS, subject, subject, True, sampling_seed=seed, max_tokens=longest)
        assert (len(sampled), report.too_long) == (len(PAIRS), 0)
        assert sampled.source_lengths.max() <= longest


def in_epochs(encoder: Encoder) -> tuple[CorpusForEpoch, EncodingReport]:
    corpus, report = encoder(PAIRS)
    return sampled_in_epochs(corpus, PAIRS, report.rows, encoder, seed=5), report


def test_epochs_are_sampled_anew_only_with_dropout() -> None:
    plain, sampled = tokenizer(), tokenizer(0.3)
    same, _ = in_epochs(Encoder(plain, plain, True))
    assert same(0, None) is same(7, None)
    corpus, report = in_epochs(Encoder(sampled, plain, True))

    def anew(epoch: int) -> EncodedCorpus:
        return corpus(epoch, None).within(Window(epoch))

    assert report.kept == len(PAIRS)
    assert np.array_equal(anew(3).source_ids, anew(3).source_ids)
    assert not np.array_equal(anew(3).source_ids, anew(4).source_ids)
    assert np.array_equal(anew(3).target_ids, anew(4).target_ids)


def test_the_epochs_after_the_sampled_ones_are_as_in_translating() -> None:
    subject = tokenizer(0.3)
    corpus, _ = in_epochs(Encoder(subject, subject, True))
    in_use, _ = encode(PAIRS, subject, subject, True)

    def read(epoch: int, sampled_epochs: int | None) -> EncodedCorpus:
        return corpus(epoch, sampled_epochs).within(Window(epoch))

    assert np.array_equal(read(1, 2).source_ids, read(1, None).source_ids)
    assert not np.array_equal(read(1, 2).source_ids, in_use.source_ids)
    assert np.array_equal(read(2, 2).source_ids, in_use.source_ids)
    assert np.array_equal(read(9, 2).target_ids, in_use.target_ids)
