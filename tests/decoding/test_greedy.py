"""Greedy search (and the loop it shares with sampling) on toy models."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from polyhead.decoding.config import GreedyConfig
from polyhead.decoding.greedy import greedy
from polyhead.symbols import EOS, PAD, SOS, UNK

Make = Callable[..., Any]
Sources = Callable[..., tuple[Tensor, Tensor]]


def by_hand(model: Any, source: Tensor, mask: Tensor, longest: int) -> tuple[list[int], list[float]]:
    """One sentence, the plain loop."""
    state, previous = model.start(model.encode(source, mask)), SOS
    tokens: list[int] = []
    probabilities: list[float] = []
    while True:
        logits, state = model.step(torch.tensor([previous]), state)
        row = logits[0].log_softmax(-1)
        free = row.clone()
        free[[PAD, SOS, UNK]] = float("-inf")
        previous = EOS if len(tokens) == longest else int(free.argmax())
        probabilities.append(float(row[previous]))
        if previous == EOS:
            return tokens, probabilities
        tokens.append(previous)


def test_equals_the_plain_loop(table_model: Make, sources: Sources) -> None:
    model = table_model(12, seed=1)
    source, mask = sources(20)
    config = GreedyConfig(max_length_offset=3)
    for row, found in enumerate(greedy(model, source, mask, config)):
        tokens, probabilities = by_hand(model, source[row : row + 1], mask[row : row + 1], int(mask[row].sum()) + 3)
        assert found.tokens == tuple(tokens)
        assert found.finished
        assert found.token_log_probabilities == pytest.approx(probabilities, abs=1e-6)
        assert found.log_probability == pytest.approx(sum(probabilities), abs=1e-5)
        assert found.score == pytest.approx(sum(probabilities) / ((6 + len(tokens)) / 6) ** 0.6, abs=1e-5)


def test_companions_and_order_change_nothing(tiny_gru: Make, sources: Sources) -> None:
    model = tiny_gru(40, seed=2)
    source, mask = sources(12)
    together = greedy(model, source, mask)
    order = torch.randperm(12, generator=torch.Generator().manual_seed(5))
    shuffled = greedy(model, source[order], mask[order])
    for row in range(12):
        length = int(mask[row].sum())
        alone = greedy(model, source[row : row + 1, :length], mask[row : row + 1, :length])[0]
        other = shuffled[order.tolist().index(row)]
        assert together[row].tokens == alone.tokens == other.tokens
        assert together[row].log_probability == pytest.approx(alone.log_probability, abs=1e-4)


def test_finished_rows_leave_at_once(table_model: Make, sources: Sources, counting: Make) -> None:
    model = counting(table_model(8, seed=3))
    found = greedy(model, *sources(30))
    steps = [len(one.tokens) + 1 for one in found]
    assert model.rows == [sum(step > t for step in steps) for t in range(max(steps))]
    assert model.rows[-1] < 30


def test_forced_prefixes(table_model: Make, sources: Sources) -> None:
    model = table_model(12, seed=4)
    source, mask = sources(4)
    prefixes = [[], [5, 6, 7], [UNK], [9] * 8]
    found = greedy(model, source, mask, GreedyConfig(max_length=6), prefixes=prefixes)
    free = greedy(model, source, mask, GreedyConfig(max_length=6))
    assert [one.tokens[: len(prefix)] for one, prefix in zip(found, prefixes, strict=True)] == list(
        map(tuple, prefixes)
    )
    assert found[0] == free[0]
    assert len(found[3].tokens) == 8
    again = greedy(model, source, mask, GreedyConfig(max_length=6), prefixes=[one.tokens for one in free])
    assert again == free


def test_a_dead_end_gives_what_there_is(table_model: Make, sources: Sources) -> None:
    config = GreedyConfig(min_length=9, no_repeat_ngram=1)
    found = greedy(table_model(6, seed=5), *sources(3), config)
    for one in found:
        assert not one.finished
        assert sorted(one.tokens) == [4, 5]
        assert len(one.token_log_probabilities) == 2


def test_no_sentences(table_model: Make) -> None:
    nothing = torch.empty(0, 0, dtype=torch.int64)
    assert greedy(table_model(8, seed=0), nothing, nothing.bool()) == []


def test_ties_go_to_the_lower_token(table_model: Make, sources: Sources) -> None:
    model = table_model(12, seed=0)
    model.table[:] = 0
    model.table[:, EOS] = -1
    found = greedy(model, *sources(1), GreedyConfig(max_length=3))
    assert found[0].tokens == (4, 4, 4)
