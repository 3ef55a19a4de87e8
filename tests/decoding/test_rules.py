"""Each rule alone, on arrays and on tensors, and the rules that a config stands for."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

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
from polyhead.decoding.searchable import Logits
from polyhead.symbols import EOS, PAD, SOS, UNK

V = 8


def allowed(rule: Rule, prefixes: Sequence[Sequence[int]], sentences: Sequence[int] | None = None) -> list[list[int]]:
    """The tokens that may come next in each row.

    Checks that their logits stay as they are, and that an array and a tensor, as a GPU's would be, are treated alike.
    """
    numbers = np.array(sentences if sentences is not None else range(len(prefixes)), np.int64)
    live = Live(np.array(prefixes, np.int64).reshape(len(prefixes), -1), numbers)
    before = np.random.default_rng(0).normal(size=(len(prefixes), V)).astype(np.float32)
    after, tensor = before.copy(), torch.from_numpy(before.copy())
    for logits in (after, tensor):
        assert rule(logits, live) is None, "it writes into what it is given"
    assert np.array_equal(after, tensor.numpy())
    kept = after > float("-inf")
    assert np.array_equal(after[kept], before[kept])
    return [row.nonzero()[0].tolist() for row in kept]


def test_forbid() -> None:
    assert allowed(Forbid((PAD, SOS, 6)), [[4]]) == [[1, 3, 4, 5, 7]]


def test_min_length_is_each_sentences_own() -> None:
    rule = MinLength(np.array([1, 2]))
    assert [EOS in row for row in allowed(rule, [[4], [4], [5]], sentences=[1, 0, 0])] == [False, True, True]


def test_max_length_leaves_only_eos() -> None:
    rule = MaxLength(np.array([2, 1]))
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


def test_a_rule_may_have_nothing_to_do() -> None:
    own = np.array([1, 3])
    idle = [Forbid(()), MinLength(own - 2), MaxLength(own), ForcedPrefix([[4, 5], [6]], then=Chain([]))]
    for rule in idle:
        assert allowed(rule, [[6], [6]], sentences=[1, 1]) == [list(range(V))] * 2


def test_an_impossible_token_is_forced_in_vain() -> None:
    row = np.zeros((1, V), np.float32)
    row[0, 4] = float("-inf")
    for logits in (row, torch.from_numpy(row.copy())):
        ForcedPrefix([[4]], then=Chain([]))(logits, Live(np.empty((1, 0), np.int64), np.array([0])))
        assert (logits == float("-inf")).all(), "a rule makes nothing possible"


def test_a_forced_token_may_break_the_other_rules() -> None:
    assert allowed(ForcedPrefix([[7]], then=Forbid((7,))), [[]]) == [[7]]


def test_max_lengths_depend_on_the_own_source_only() -> None:
    mask = np.array([[True, True, True, True], [True, False, False, False]])
    config = SearchConfig(max_length_ratio=1.5, max_length_offset=2)
    assert max_lengths(config, mask).tolist() == [8, 3]
    assert max_lengths(config, mask[1:]).tolist() == [3]
    assert max_lengths(SearchConfig(max_length=4), mask).tolist() == [4, 4]
    assert max_lengths(config, mask, [[], [4] * 9]).tolist() == [8, 9]
    assert max_lengths(config, mask).dtype == np.int64


def rules_of(**values: object) -> Rule:
    return search_rule(SearchConfig.model_validate(values), np.array([2]))


def test_search_rule_forbids_the_symbols() -> None:
    assert allowed(rules_of(), [[]]) == [[EOS, 4, 5, 6, 7]]
    assert allowed(rules_of(allow_unknown=True), [[]]) == [[UNK, EOS, 4, 5, 6, 7]]


def test_max_length_wins_over_min_length() -> None:
    rule = rules_of(min_length=5)
    assert EOS not in allowed(rule, [[4]])[0]
    assert allowed(rule, [[4, 5]]) == [[EOS]]


def test_callers_rules_come_on_top() -> None:
    def no_six(logits: Logits, live: Live) -> None:
        logits[:, 6] = float("-inf")

    assert allowed(search_rule(SearchConfig(), np.array([2]), [no_six]), [[]]) == [[EOS, 4, 5, 7]]


@pytest.mark.parametrize(("sentences", "given"), [(2, 1), (1, 2), (1, 3), (2, 3)])
def test_a_prefix_for_every_sentence_or_none(sentences: int, given: int) -> None:
    mask = np.ones((sentences, 2), np.bool_)
    with pytest.raises(ValueError, match=f"{given} forced prefixes for {sentences} sentences"):
        max_lengths(SearchConfig(), mask, prefixes=[[4]] * given)
