"""Line breaks within sentences."""

import pytest

from polyhead.formats.line_breaks import is_in_sentence


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("The cat drinks", "water.", True),
        ("roses are red,", "violets are blue", True),
        ("The cat drinks.", "water", False),
        ("12 Main Street", "Springfield", False),
        ("Dear John,", "Thank you", False),
        ("Total:", "5", True),
        ("", "water", False),
        ("고양이가", "물을 마신다", False),
        ("고양이가,", "물을 마신다", True),
    ],
)
def test_a_sentence_goes_on_where_it_has_no_end_and_no_capital_follows(before, after, expected):
    assert is_in_sentence(before, after) is expected
