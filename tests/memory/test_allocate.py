"""Memory that goes back to the system."""

import sys

import numpy as np
import pytest

from polyhead.memory.allocate import LARGE, empty
from polyhead.memory.freed import out_of_memory


def test_a_large_array_can_be_written_to() -> None:
    array = empty((2, LARGE // 4))
    array[1] = 3
    assert array.dtype == np.float32
    assert array.sum() == 3 * (LARGE // 4)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such error")
def test_memory_that_cannot_be_had_is_known_as_that() -> None:
    with pytest.raises(MemoryError) as error:
        empty((1 << 47,))  # more than any address can name
    assert out_of_memory(error.value)
