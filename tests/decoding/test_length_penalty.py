"""The length penalties against hand computation."""

import numpy as np
import pytest

from polyhead.decoding.length_penalty import average, length_penalty, wu


def test_wu_by_hand() -> None:
    assert wu(0.6)(np.array(13.0)).item() == pytest.approx(3.0**0.6)
    assert wu(0.0)(np.array(13.0)).item() == 1.0


def test_average_is_the_length() -> None:
    assert average(np.array(7.0)).item() == 7.0


@pytest.mark.parametrize("choice", [0.0, 0.6, 2.0, "average"])
def test_never_falls_with_the_length(choice: float) -> None:
    penalties = length_penalty(choice)(np.arange(1, 200, dtype=np.float64))
    assert (np.diff(penalties) >= 0).all()
    assert (penalties > 0).all()
