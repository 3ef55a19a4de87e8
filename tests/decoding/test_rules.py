"""Each rule alone, and the rules that a config stands for."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from polyhead.decoding.config import SearchConfig
from polyhead.decoding.rules import (
    Chain,
    Forbid,
    ForcedPrefix,
    Live,
    MaxLength,
    MinLength,
    NoRepeatNgram,
    Rule,
    max_lengths,
    search_rule,
)
from polyhead.symbols import EOS, PAD, SOS, UNK

V = 8


def allowed(rule: Rule, prefixes: Sequence[Sequence[int]], sentences: Sequence[int] | None = None) -> list[list[int]]:
    """The tokens that may come next in each row; checks that their log-probabilities stay as they are."""
    rows = torch.tensor(prefixes, dtype=torch.int64).view(len(prefixes), -1)
    numbers = np.array(sentences if sentences is not None else range(len(prefixes)))
    live = Live(rows.numpy(), numbers, rows.device)
    before = torch.randn(len(prefixes), V, generator=torch.Generator().manual_seed(0)).log_softmax(-1)
    after = rule(before.clone(), live)
    kept = after > float("-inf")
    assert torch.equal(after[kept], before[kept])
    return [row.nonzero()[:, 0].tolist() for row in kept]


def test_forbid() -> None:
    assert allowed(Forbid((PAD, SOS, 6)), [[4]]) == [[1, 3, 4, 5, 7]]


def test_min_length_is_each_sentences_own() -> None:
    rule = MinLength(torch.tensor([1, 2]))
    assert [EOS in row for row in allowed(rule, [[4], [4], [5]], sentences=[1, 0, 0])] == [False, True, True]


def test_max_length_leaves_only_eos() -> None:
    rule = MaxLength(torch.tensor([2, 1]))
    assert allowed(rule, [[4], [4]]) == [list(range(V)), [EOS]]


def test_no_repeat_bigram() -> None:
    rule = NoRepeatNgram(2)
    free = list(range(V))
    assert allowed(rule, [[4, 5, 6, 4], [4, 4, 5, 6]]) == [[token for token in free if token != 5], free]
    assert allowed(rule, [[4]]) == [free]
    assert allowed(NoRepeatNgram(1), [[4, 6]]) == [[token for token in free if token not in (4, 6)]]


@given(st.lists(st.integers(4, 6), max_size=12), st.integers(1, 4))
@settings(max_examples=200, deadline=None)
def test_no_repeat_ngram_excludes_exactly_what_repeats(prefix: list[int], n: int) -> None:
    def grams(tokens: list[int]) -> list[tuple[int, ...]]:
        return [tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1)]

    for token in range(V):
        repeats = bool(grams([*prefix, token])) and len(prefix) >= n and grams([*prefix, token])[-1] in grams(prefix)
        assert (token not in allowed(NoRepeatNgram(n), [prefix])[0]) == repeats


def test_forced_prefix_follows_the_sentence_through_reordering() -> None:
    rule = ForcedPrefix([[4, 5], [6], []], then=Chain([Forbid((7,))]))
    free = [token for token in range(V) if token != 7]
    assert allowed(rule, [[], [], []]) == [[4], [6], free]
    assert allowed(rule, [[6], [4]], sentences=[1, 0]) == [free, [5]]
    assert allowed(rule, [[4, 5]], sentences=[0]) == [free]


def test_a_forced_token_may_break_the_other_rules() -> None:
    assert allowed(ForcedPrefix([[7]], then=Forbid((7,))), [[]]) == [[7]]


def test_max_lengths_depend_on_the_own_source_only() -> None:
    mask = torch.tensor([[True, True, True, True], [True, False, False, False]])
    config = SearchConfig(max_length_ratio=1.5, max_length_offset=2)
    assert max_lengths(config, mask).tolist() == [8, 3]
    assert max_lengths(config, mask[1:]).tolist() == [3]
    assert max_lengths(SearchConfig(max_length=4), mask).tolist() == [4, 4]
    assert max_lengths(config, mask, [[], [4] * 9]).tolist() == [8, 9]


def rules_of(**values: object) -> Rule:
    return search_rule(SearchConfig.model_validate(values), torch.tensor([2]))


def test_search_rule_forbids_the_symbols() -> None:
    assert allowed(rules_of(), [[]]) == [[EOS, 4, 5, 6, 7]]
    assert allowed(rules_of(allow_unknown=True), [[]]) == [[UNK, EOS, 4, 5, 6, 7]]


def test_max_length_wins_over_min_length() -> None:
    rule = rules_of(min_length=5)
    assert EOS not in allowed(rule, [[4]])[0]
    assert allowed(rule, [[4, 5]]) == [[EOS]]


def test_callers_rules_come_on_top() -> None:
    def no_six(log_probabilities: Tensor, live: Live) -> Tensor:
        log_probabilities[:, 6] = float("-inf")
        return log_probabilities

    assert allowed(search_rule(SearchConfig(), torch.tensor([2]), [no_six]), [[]]) == [[EOS, 4, 5, 7]]


def test_a_prefix_for_every_sentence_or_none() -> None:
    with pytest.raises(ValueError, match="1 forced prefixes for 2 sentences"):
        search_rule(SearchConfig(), torch.tensor([2, 2]), prefixes=[[4]])
