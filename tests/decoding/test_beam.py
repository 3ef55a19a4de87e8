"""Beam search on toy models: against brute force, a plain search without early stop, and itself in other company."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np
import pytest
import torch
from torch import Tensor

from polyhead.decoding.beam import beam
from polyhead.decoding.config import BeamConfig, GreedyConfig
from polyhead.decoding.greedy import greedy
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.length_penalty import length_penalty
from polyhead.decoding.trace import StepRecord
from polyhead.symbols import EOS, SOS, UNK

Make = Callable[..., Any]
Sources = Callable[..., tuple[Tensor, Tensor]]
Penalty = float | Literal["average"]


def numbers(given: Iterable[Any]) -> list[int]:
    return [int(number) for number in given]


def follow(model: Any, source: Tensor, mask: Tensor, tokens: tuple[int, ...]) -> list[float]:
    """log P of each token, then of `<eos>`, for one sentence."""
    state, found = model.start(model.encode(source, mask)), list[float]()
    for previous, token in zip((SOS, *tokens), (*tokens, EOS), strict=True):
        logits, state = model.step(torch.tensor([previous]), state)
        found.append(float(logits[0].log_softmax(-1)[token]))
    return found


def penalised(total: float, length: int, penalty: Penalty) -> float:
    return total / float(length_penalty(penalty)(np.array(float(length))))


def plain_search(model: Any, source: Tensor, mask: Tensor, longest: int, config: BeamConfig) -> list[tuple[int, ...]]:
    """Beam search as in a textbook, one sentence, never stopping early."""
    live, done = [((), 0.0)], list[tuple[float, tuple[int, ...]]]()
    words = range(4, len(model.table[0]))
    while live:
        candidates: list[tuple[float, tuple[int, ...], int]] = []
        for tokens, _ in live:
            steps = [EOS] if len(tokens) == longest else [EOS, *words]
            state, logits = model.start(model.encode(source, mask)), torch.empty(0)
            for previous in (SOS, *tokens):
                logits, state = model.step(torch.tensor([previous]), state)
            row = logits[0].log_softmax(-1).double()
            total = sum(follow(model, source, mask, tokens)[:-1])
            candidates += [(total + float(row[token]), tokens, token) for token in steps]
        candidates = sorted(candidates, key=lambda one: -one[0])[: 2 * config.beam_size]
        for total, tokens, token in candidates[: config.beam_size]:
            if token == EOS:
                done.append((penalised(total, len(tokens) + 1, config.length_penalty), tokens))
        live = [((*tokens, token), total) for total, tokens, token in candidates if token != EOS][: config.beam_size]
    return [tokens for _, tokens in sorted(done, key=lambda one: -one[0])[: config.n_best]]


@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0, "average"])
def test_a_wide_beam_equals_brute_force(table_model: Make, sources: Sources, penalty: Penalty) -> None:
    model = table_model(8, seed=1, spread=1.0)
    source, mask = sources(3)
    config = BeamConfig(beam_size=300, n_best=20, length_penalty=penalty, max_length=4)
    found = beam(model, source, mask, config)
    everything = [tokens for length in range(5) for tokens in itertools.product(range(4, 8), repeat=length)]
    for row in range(3):
        best: list[tuple[float, tuple[int, ...]]] = []
        for tokens in everything:
            total = sum(follow(model, source[row : row + 1], mask[row : row + 1], tokens))
            best.append((penalised(total, len(tokens) + 1, penalty), tokens))
        best = sorted(best, reverse=True)[:20]
        assert [one.tokens for one in found[row]] == [tokens for _, tokens in best]
        assert [one.score for one in found[row]] == pytest.approx([score for score, _ in best], abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("beam_size", "n_best"), [(2, 1), (3, 3), (5, 2)])
@pytest.mark.parametrize("penalty", [0.6, "average"])
def test_stopping_early_loses_nothing(
    table_model: Make, sources: Sources, seed: int, beam_size: int, n_best: int, penalty: Penalty
) -> None:
    model = table_model(9, seed=seed, spread=1.5)
    source, mask = sources(3, seed=seed)
    config = BeamConfig(beam_size=beam_size, n_best=n_best, length_penalty=penalty, max_length=7)
    found = beam(model, source, mask, config)
    for row, hypotheses in enumerate(found):
        longest = min(7, int(mask[row].sum()) + 50)
        expected = plain_search(model, source[row : row + 1], mask[row : row + 1], longest, config)
        assert [one.tokens for one in hypotheses] == expected


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("patience", [0.3, 1.0, 2.0])
def test_patience_ends_a_sentence_when_so_many_are_finished(
    table_model: Make, sources: Sources, seed: int, patience: float
) -> None:
    model = table_model(9, seed=seed, spread=1.5)
    source, mask = sources(4, seed=seed)
    config = BeamConfig(beam_size=4, length_penalty="average", patience=patience)
    seen: list[StepRecord] = []
    found = beam(model, source, mask, config, observer=seen.append)
    for sentence in range(4):
        ended, scores = list[int](), list[float]()
        for record in seen:
            mine = record.finished.candidates.sentences == sentence
            ended += [record.step] * int(mine.sum())
            scores += record.finished.scores[mine].tolist()
            lives = bool((record.live.candidates.sentences == sentence).any())
            assert not (lives and len(ended) >= 4 * patience), "it would go on"
        assert len([step for step in ended if step < ended[-1]]) < 4 * patience, "no step too many"
        assert found[sentence][0].score == max(scores)


def test_patience_gives_as_many_as_are_asked_for(table_model: Make, sources: Sources) -> None:
    config = BeamConfig(beam_size=4, n_best=4, patience=0.1)
    assert [len(each) for each in beam(table_model(9, seed=3), *sources(5), config)] == [4] * 5


def test_the_early_stop_saves_steps(table_model: Make, sources: Sources, counting: Make) -> None:
    model = table_model(9, seed=0)
    model.table[:, EOS] += 3
    counted = counting(model)
    beam(counted, *sources(10), BeamConfig(beam_size=4))
    assert len(counted.rows) < 30  # 50 and more tokens are allowed


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("penalty", [0.6, "average"])
def test_beam_of_one_equals_greedy(table_model: Make, sources: Sources, seed: int, penalty: Penalty) -> None:
    model = table_model(12, seed=seed)
    source, mask = sources(20, seed=seed)
    one = beam(model, source, mask, BeamConfig(beam_size=1, length_penalty=penalty))
    for left, right in zip(one, greedy(model, source, mask, GreedyConfig(length_penalty=penalty)), strict=True):
        assert left[0].tokens == right.tokens
        assert left[0].score == pytest.approx(right.score, abs=1e-6)
        assert left[0].token_log_probabilities == right.token_log_probabilities


def test_n_best_is_sorted_distinct_and_adds_up(table_model: Make, sources: Sources) -> None:
    model = table_model(12, seed=6)
    source, mask = sources(10)
    for row, hypotheses in enumerate(beam(model, source, mask, BeamConfig(beam_size=6, n_best=6))):
        assert len(hypotheses) == 6
        assert len({one.tokens for one in hypotheses}) == 6
        assert [one.score for one in hypotheses] == sorted((one.score for one in hypotheses), reverse=True)
        for one in hypotheses:
            steps = follow(model, source[row : row + 1], mask[row : row + 1], one.tokens)
            assert one.token_log_probabilities == pytest.approx(steps, abs=1e-5)
            assert one.log_probability == pytest.approx(sum(steps), abs=1e-5)


def alike(left: list[Hypothesis], right: list[Hypothesis]) -> bool:
    return [one.tokens for one in left] == [one.tokens for one in right] and [
        one.score for one in left
    ] == pytest.approx([one.score for one in right], abs=1e-4)


def test_companions_and_order_change_nothing(tiny_gru: Make, sources: Sources) -> None:
    model = tiny_gru(40, seed=2)
    source, mask = sources(10)
    config = BeamConfig(beam_size=4, n_best=3, max_length_offset=8)
    together = beam(model, source, mask, config)
    order = numbers(torch.randperm(10, generator=torch.Generator().manual_seed(5)))
    shuffled = beam(model, source[order], mask[order], config)
    for row in range(10):
        length = int(mask[row].sum())
        assert alike(
            together[row], beam(model, source[row : row + 1, :length], mask[row : row + 1, :length], config)[0]
        )
        assert alike(together[row], shuffled[order.index(row)])


def test_in_exact_arithmetic_companions_change_not_one_bit(table_model: Make, sources: Sources) -> None:
    model = table_model(700, seed=7)
    source, mask = sources(9)
    config = BeamConfig(beam_size=4, n_best=4, max_length_offset=4)
    alone = [beam(model, source[row : row + 1], mask[row : row + 1], config)[0] for row in range(9)]
    assert beam(model, source, mask, config) == alone


def test_finished_and_hopeless_rows_leave(table_model: Make, sources: Sources, counting: Make) -> None:
    model = table_model(9, seed=8)
    counted = counting(model)
    seen: list[StepRecord] = []
    beam(counted, *sources(20), BeamConfig(beam_size=4), observer=seen.append)
    assert counted.rows[0] == 20
    assert counted.rows[1:] == [len(record.live.scores) for record in seen[:-1]]
    assert max(counted.rows) <= 80
    assert counted.rows[-1] < 20
    assert len(seen[-1].live.scores) == 0


def test_min_and_max_length(table_model: Make, sources: Sources) -> None:
    found = beam(table_model(9, seed=9), *sources(10), BeamConfig(n_best=5, min_length=3, max_length=5))
    assert {len(one.tokens) for hypotheses in found for one in hypotheses} <= {3, 4, 5}


def test_forced_prefixes(table_model: Make, sources: Sources) -> None:
    model = table_model(12, seed=10)
    source, mask = sources(4)
    prefixes = [[], [5, 6, 7], [UNK], [9] * 8]
    config = BeamConfig(beam_size=3, n_best=3, max_length=6)
    found = beam(model, source, mask, config, prefixes=prefixes)
    for hypotheses, prefix in zip(found, prefixes, strict=True):
        assert all(one.tokens[: len(prefix)] == tuple(prefix) for one in hypotheses)
    assert found[0] == beam(model, source, mask, config)[0]
    assert [one.tokens for one in found[3]] == [(9,) * 8]


def test_no_repeat_ngram(table_model: Make, sources: Sources) -> None:
    found = beam(table_model(7, seed=11), *sources(10), BeamConfig(no_repeat_ngram=2, min_length=5))
    for hypotheses in found:
        pairs = list(itertools.pairwise(hypotheses[0].tokens))
        assert len(pairs) == len(set(pairs))


def test_a_dead_end_gives_what_there_is(table_model: Make, sources: Sources) -> None:
    found = beam(table_model(6, seed=5), *sources(3), BeamConfig(n_best=2, min_length=9, no_repeat_ngram=1))
    for hypotheses in found:
        assert not hypotheses[0].finished
        assert sorted(hypotheses[0].tokens) == [4, 5]


def test_no_sentences(table_model: Make) -> None:
    nothing = torch.empty(0, 0, dtype=torch.int64)
    assert beam(table_model(8, seed=0), nothing, nothing.bool()) == []


def test_ties_go_to_the_better_parent_then_the_lower_token(table_model: Make, sources: Sources) -> None:
    model = table_model(12, seed=0)
    model.table[:] = 0
    model.table[:, EOS] = -5
    found = beam(model, *sources(2), BeamConfig(beam_size=3, n_best=3, max_length=2))
    assert [[one.tokens for one in hypotheses] for hypotheses in found] == [[(4, 4), (4, 5), (4, 6)]] * 2


def test_an_observer_can_rebuild_the_search_tree(table_model: Make, sources: Sources) -> None:
    model = table_model(9, seed=12)
    source, mask = sources(4)
    config = BeamConfig(beam_size=3, n_best=3)
    seen: list[StepRecord] = []
    found = beam(model, source, mask, config, observer=seen.append)
    assert found == beam(model, source, mask, config)
    prefixes: list[tuple[int, ...]] = [()] * 4
    finished: list[set[tuple[int, ...]]] = [set() for _ in range(4)]
    for record in seen:
        assert record.step == len(prefixes[0])
        ended = record.finished.candidates
        for sentence, parent in zip(numbers(ended.sentences), numbers(ended.parents), strict=True):
            finished[sentence].add(prefixes[parent])
        assert (record.live.candidates.tokens != EOS).all()
        assert (record.finished.candidates.tokens == EOS).all()
        for kind in (record.live, record.finished, record.pruned):
            penalty = length_penalty(0.6)(np.array([record.step + 1.0]))
            assert np.array_equal(kind.scores, kind.candidates.totals / penalty)
        chosen = record.live.candidates
        pairs = zip(numbers(chosen.parents), numbers(chosen.tokens), strict=True)
        prefixes = [(*prefixes[parent], token) for parent, token in pairs]
    for row, hypotheses in enumerate(found):
        assert {one.tokens for one in hypotheses} <= finished[row]
