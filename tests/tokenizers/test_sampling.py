"""Subword regularisation: random, yet the same for the same seed."""

import math
import subprocess
import sys
import threading
from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.tokenizers import Kind, Tokenizer, TokenizerConfig, train
from polyhead.tokenizers.lattice import Lattice
from polyhead.tokenizers.merges import MergeDropout
from polyhead.tokenizers.sampling import Inventory, Sampler

LINES = [
    f"The {a} dogs are running across the {b} fields." for a in ["brown", "small", "lazy"] for b in ("green", "old")
]
KINDS: list[Kind] = ["bpe", "unigram"]
SUBJECTS = {kind: train(LINES, TokenizerConfig(kind=kind, dropout=0.3), 360) for kind in KINDS}


def inventory(scores: dict[str, float]) -> Inventory:
    return Inventory(
        scores, {piece: i for i, piece in enumerate([*scores, *(f"<0x{byte:02X}>" for byte in range(256))])}
    )


def counts(sampler: Sampler, pieces: Inventory, text: str, draws: int) -> Counter[tuple[str, ...]]:
    """How often each segmentation is drawn."""
    names = list(pieces.ids)
    return Counter(tuple(names[i] for i in ids) for ids in sampler.sample([text] * draws, 0))


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


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_in_every_process(kind: Kind) -> None:
    """What a stopped run needs to go on as if it had not been stopped."""
    code = f"""
from polyhead.tokenizers import TokenizerConfig, train
lines = {LINES}
print(train(lines, TokenizerConfig(kind={kind!r}, dropout=0.3), 360).sample_many(lines, 1))
"""
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(2)]
    assert runs[0].stdout == runs[1].stdout


@given(st.text(max_size=30), st.integers(0, 1000))
@pytest.mark.parametrize("kind", KINDS)
def test_any_text_comes_back_from_a_sample(kind: Kind, text: str, seed: int) -> None:
    subject = SUBJECTS[kind]
    assert subject.decode(subject.sample_many([text], seed)[0]) == subject.normalise(text)


@given(st.text(alphabet="The brownsmalydgi  élan▁", max_size=30))
def test_hardly_any_dropout_is_the_best_segmentation(text: str) -> None:
    """So the merges are those of sentencepiece."""
    model = SUBJECTS["bpe"]
    rare = model.config.model_copy(update={"dropout": 1e-12})
    again = train(LINES, rare, 360)
    assert again.sample_many([text], 0)[0] == model.encode(text)


def test_unigram_samples_come_as_often_as_they_are_probable() -> None:
    pieces = inventory({"a": -1.0, "b": -1.0, "ab": -1.5, "▁": 0.0})
    drawn = counts(Lattice(pieces, sharpness=1.0), pieces, "ab", 4000)
    assert drawn["▁", "ab"] / 4000 == pytest.approx(1 / (1 + math.exp(-0.5)), abs=0.02)


def test_merges_are_left_out_as_often_as_asked() -> None:
    pieces = inventory({"ab": 0.0, "▁": -1.0, "a": -1.0, "b": -1.0})
    drawn = counts(MergeDropout(pieces, dropout=0.3), pieces, "ab", 4000)
    assert drawn["▁", "a", "b"] / 4000 == pytest.approx(0.3, abs=0.03)


def test_merges_end_as_often_as_by_the_paper_s_algorithm() -> None:
    """Which passes each merge over anew at every step."""
    scores = {"ab": -1.0, "cd": -2.0, "bc": -3.0, "abc": -4.0, "abcd": -5.0, "da": -6.0} | dict.fromkeys("▁abcd", -9.0)
    pieces, random, draws = inventory(scores), Random(0), 20_000

    def by_the_paper() -> list[str]:
        symbols = list("▁abcda")
        while possible := [
            (-scores[left + right], place)
            for place, (left, right) in enumerate(pairwise(symbols))
            if left + right in scores and random.random() >= 0.3
        ]:
            place = min(possible)[1]
            symbols[place : place + 2] = [symbols[place] + symbols[place + 1]]
        return symbols

    ours = counts(MergeDropout(pieces, dropout=0.3), pieces, "abcda", draws)
    theirs = Counter(tuple(by_the_paper()) for _ in range(draws))
    assert len(theirs) > 6
    for found in ours.keys() | theirs.keys():
        # five standard deviations of the difference of two counts
        assert abs(ours[found] - theirs[found]) < 5 * math.sqrt(ours[found] + theirs[found]), found


def test_a_piece_of_characters_that_are_none_is_merged_or_spelled() -> None:
    pieces = inventory({"ab": 0.0, "▁": -1.0})
    drawn = counts(MergeDropout(pieces, dropout=0.5), pieces, "ab", 100)
    assert drawn.keys() == {("▁", "ab"), ("▁", "<0x61>", "<0x62>")}


def test_texts_are_drawn_apart_and_empty_ones_stay_empty() -> None:
    pieces = inventory({"ab": 0.0, "▁": -1.0, "a": -1.0, "b": -1.0})
    assert MergeDropout(pieces, 1e-12).sample(["", "ab a", "", "한", "b"], 0) == [
        [],
        [1, 0, 1, 2],
        [],
        [1, *(len(pieces.scores) + byte for byte in "한".encode())],
        [1, 3],
    ]
