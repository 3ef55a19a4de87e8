"""Candidates as arrays."""

import numpy as np

from polyhead.decoding.candidates import Candidates


def test_where_flattens_in_order() -> None:
    grid = np.arange(6).reshape(2, 3)
    picked = Candidates(grid, grid + 1, grid + 2, grid.astype(np.float32), grid.astype(float)).where(grid % 2 == 1)
    assert picked.sentences.tolist() == [1, 3, 5]
    assert picked.tokens.tolist() == [3, 5, 7]
    assert picked.totals.tolist() == [1.0, 3.0, 5.0]
