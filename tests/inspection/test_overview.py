"""Thumbnails keep what stands out."""

import numpy as np
import pytest

from polyhead.inspection.overview import overview


@pytest.mark.parametrize(("rows", "columns"), [(3, 5), (64, 64), (65, 64), (200, 7), (1, 130)])
def test_every_cell_is_the_largest_it_stands_for(rows, columns):
    weights = np.random.default_rng(0).random((2, 3, rows, columns), dtype=np.float32)
    small = overview(weights)
    height, width = min(rows, 64), min(columns, 64)
    assert (small.shape, small.dtype) == ((2, 3, height, width), np.uint8)
    for i, j in ((0, 0), (height - 1, width - 1), (height // 2, width // 3)):
        part = weights[
            ..., i * rows // height : (i + 1) * rows // height, j * columns // width : (j + 1) * columns // width
        ]
        np.testing.assert_array_equal(small[..., i, j], np.round(part.max((-1, -2)) * 255))
