"""Parts of arrays."""

import numpy as np
import pytest

from polyhead.server.slices import cut

ARRAY = np.arange(24).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("rows", "columns", "part"),
    [
        (None, None, ARRAY),
        ("1:2", None, ARRAY[:, 1:2]),
        (None, "0:3", ARRAY[..., :3]),
        ("0:2", "3:9", ARRAY[:, :2, 3:]),
        ("5:9", None, ARRAY[:, 5:]),
        ("2:1", None, ARRAY[:, 2:1]),
    ],
)
def test_parts(rows, columns, part):
    np.testing.assert_array_equal(cut(ARRAY, rows, columns), part)


def test_one_axis_has_columns_only():
    np.testing.assert_array_equal(cut(np.arange(5), "0:1", "1:3"), [1, 2])
