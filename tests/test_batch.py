"""Cutting sentences into batches."""

from hypothesis import given
from hypothesis import strategies as st

from polyhead.batch import cut_by_length


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(1, 100))
def test_every_row_is_in_one_batch_within_the_budget_longest_first(lengths: list[int], budget: int) -> None:
    batches = list(cut_by_length(lengths, budget))
    rows = [row for batch in batches for row in batch]
    assert rows == sorted(range(len(lengths)), key=lambda row: (-lengths[row], row))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[row] for row in batch) <= budget
