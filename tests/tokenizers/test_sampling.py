"""Subword regularisation: random, yet the same for the same seed."""

import threading
from itertools import pairwise

import pytest

from polyhead.tokenizers import Kind, Tokenizer, TokenizerConfig, train

LINES = [
    f"The {a} dogs are running across the {b} fields." for a in ["brown", "small", "lazy"] for b in ("green", "old")
]
KINDS: list[Kind] = ["bpe", "unigram"]


@pytest.fixture(params=KINDS)
def sampler(request: pytest.FixtureRequest) -> Tokenizer:
    return train(LINES, TokenizerConfig(kind=request.param, dropout=0.3), 360)


def test_samples_differ_and_mean_the_same(sampler: Tokenizer) -> None:
    samples = {tuple(sampler.sample(LINES[0])) for _ in range(30)}
    assert len(samples) > 3
    assert {sampler.decode(sample) for sample in samples} == {LINES[0]}


def test_the_same_seed_gives_the_same(sampler: Tokenizer) -> None:
    first = sampler.sample_many(LINES, 1)
    for text in LINES:
        sampler.sample(text)
    assert sampler.sample_many(LINES, 2) != first
    assert sampler.sample_many(LINES, 1) == first


def test_the_same_whatever_other_threads_sample(sampler: Tokenizer) -> None:
    first = sampler.sample_many(LINES * 20, 1)
    stop = threading.Event()

    def disturb(seed: int) -> None:
        while not stop.is_set():
            sampler.sample(LINES[0])
            sampler.sample_many(LINES[:1], seed)

    others = [threading.Thread(target=disturb, args=(seed,)) for seed in (7, 8)]
    for other in others:
        other.start()
    try:
        assert all(sampler.sample_many(LINES * 20, 1) == first for _ in range(5))
    finally:
        stop.set()
        for other in others:
            other.join()


@pytest.mark.parametrize("kind", KINDS)
def test_more_dropout_gives_more_tokens(kind: Kind) -> None:
    counts: list[int] = []
    for dropout in (0.0, 0.05, 0.4):
        subject = train(LINES, TokenizerConfig(kind=kind, dropout=dropout), 360)
        counts.append(sum(len(ids) for ids in subject.sample_many(LINES * 5, 0)))
    assert all(fewer < more for fewer, more in pairwise(counts))


@pytest.mark.parametrize("kind", ["bpe", "unigram", "char", "word"])
def test_without_dropout_a_sample_is_the_encoding(kind: Kind) -> None:
    subject = train(LINES, TokenizerConfig(kind=kind), 360)
    assert subject.sample(LINES[0]) == subject.encode(LINES[0])
    assert subject.sample_many(LINES, 5) == subject.encode_many(LINES)
