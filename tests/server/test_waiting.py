"""What is decoded together next."""

from concurrent.futures import Future

from hypothesis import given
from hypothesis import strategies as st

from polyhead.server.waiting import Errand, Item, Request, Wish, is_wanted, next_batch


def items(*texts, wish=Wish()):  # noqa: B008
    request = Request(texts, wish, Future(), [None] * len(texts))
    return [Item(request, number) for number in range(len(texts))]


def texts(batch):
    return [item.text for item in batch]


def test_the_oldest_text_goes_with_those_nearest_in_length():
    waiting = items("a" * 10, "a" * 90, "a" * 12, "a" * 8, "a" * 50)
    assert [len(text) for text in texts(next_batch(waiting, 40))] == [10, 12, 8]
    assert [len(text) for text in texts(next_batch(waiting[1:], 200))] == [90, 50]


def test_a_text_beyond_the_budget_goes_alone():
    assert texts(next_batch(items("a" * 500, "b"), 10)) == ["a" * 500]


def test_only_the_same_wish_is_decoded_together():
    waiting = [*items("a", "b", wish=Wish("fr")), *items("c", wish=Wish("ko")), *items("d", wish=Wish("fr"))]
    assert texts(next_batch(waiting, 100)) == ["a", "b", "d"]
    assert texts(next_batch(waiting[2:], 100)) == ["c"]


def test_an_errand_waits_its_turn_and_goes_alone():
    errand = Errand(lambda translator: None, Future())
    assert texts(next_batch([*items("a"), errand, *items("b")], 100)) == ["a", "b"]
    assert next_batch([errand, *items("b")], 100) is errand


def test_nobody_waits_for_an_answer_that_is_cancelled_or_given():
    (item,) = items("a")
    assert is_wanted(item)
    item.request.answer.cancel()
    assert not is_wanted(item)
    errand = Errand(lambda translator: None, Future())
    errand.answer.set_result(None)
    assert not is_wanted(errand)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=30), st.integers(1, 400))
def test_every_batch_holds_the_oldest_and_keeps_to_the_budget(lengths, budget):
    waiting = items(*("x" * length for length in lengths))
    batch = next_batch(waiting, budget)
    assert batch[0] is waiting[0]
    assert [waiting.index(item) for item in batch] == sorted(waiting.index(item) for item in batch)
    longest = max(len(item.text) + 1 for item in batch)
    assert len(batch) == 1 or longest * len(batch) <= budget
    inside = {len(item.text) for item in batch}
    outside = [len(item.text) for item in waiting if item not in batch]
    assert not any(min(inside) < length < max(inside) for length in outside)
