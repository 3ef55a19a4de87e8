"""Equation 1 over scattered keys, against NumPy in float64."""

import numpy as np
import pytest

from polyhead.kernels.attention.by_positions import VisibleKeys, attend


@pytest.mark.parametrize(("heads", "size"), [(1, 16), (4, 32), (3, 48), (8, 64), (2, 80), (1, 144)])
def test_rows_see_their_own_keys_alone(heads: int, size: int) -> None:
    draw, width = np.random.default_rng(heads), heads * size
    store = draw.normal(size=(40, 2 * width)).astype(np.float32)
    query = draw.normal(size=(6, 3 * width)).astype(np.float32)[:, :width]
    places = draw.integers(0, 40, (4, 17)).astype(np.int32)
    counts, owner = np.array([17, 1, 5, 0], np.int32), np.array([0, 1, 2, 3, 2, 0], np.int32)
    y = np.full((6, width), np.nan, np.float32)
    attend(query, store, VisibleKeys(places, counts, owner), heads, y)
    for row in range(6):
        seen = store[places[owner[row], : counts[owner[row]]]].astype(np.float64)
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            scores = seen[:, :width][:, part] @ query[row, part].astype(np.float64)
            weights = np.exp(scores - scores.max(initial=-np.inf)) if len(scores) else scores
            expected = weights @ seen[:, width:][:, part] / (weights.sum() if len(scores) else 1)
            np.testing.assert_allclose(y[row, part], expected, atol=2e-5)


def test_a_key_far_below_the_best_has_no_weight() -> None:
    store = np.zeros((2, 32), np.float32)
    store[0, 0], store[1, 16:] = 200, 3e38
    query, y = np.eye(1, 16, dtype=np.float32), np.empty((1, 16), np.float32)
    sight = VisibleKeys(np.array([[0, 1]], np.int32), np.array([2], np.int32), np.array([0], np.int32))
    attend(query, store, sight, 1, y)
    assert (y == 0).all()
