"""Sameness by digests is sameness of texts, in however many parts the digests are looked at."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyhead.data import digests as module
from polyhead.data.digests import digests_of, digests_of_content, digests_of_pairs, rows_among, which_repeat
from polyhead.data.readers import Pair

TEXTS = st.lists(st.sampled_from(["", "a", "b", "a b", "é", "\ud800", "c" * 99]), max_size=60)


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(module, "_AT_A_TIME", 7)
    monkeypatch.setattr(module, "_IN_A_SORT", 11)


@pytest.mark.usefixtures("small_parts")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS, st.data())
def test_a_text_repeats_where_it_came_before_among_those_that_are_considered(texts, data):
    considered = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    seen: set[str] = set()
    expected = []
    for text, counts in zip(texts, considered, strict=True):
        expected.append(counts and text in seen)
        seen |= {text} if counts else set()
    assert which_repeat(digests_of(texts), np.array(considered, np.bool_)).tolist() == expected


@pytest.mark.usefixtures("small_parts")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS, TEXTS)
def test_rows_among_are_those_of_texts_that_are_wanted(texts, wanted):
    expected = [row for row, text in enumerate(texts) if text in wanted]
    assert rows_among(digests_of(texts), digests_of(wanted)).tolist() == expected


def test_pairs_are_the_same_by_both_sides_and_the_language_and_contents_by_their_words():
    one, other = Pair("A dog", "un", "fr", ""), Pair("a  DOG ", "Un", "de", "")
    assert len(set(digests_of_pairs([one, Pair("A dog", "un", "de", ""), Pair("A dogun", "", "fr", ""), other]))) == 4
    assert len(set(digests_of_pairs([one, Pair("A dog", "un", "fr", "elsewhere")]))) == 1
    assert len(set(digests_of_content([one, other]))) == 1
    assert len(set(digests_of_content([one, Pair("a dog", "une", "fr", "")]))) == 2
