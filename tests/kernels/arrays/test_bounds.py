"""What is asked of arrays whose numbers are read by their address."""

from typing import Any

import numpy as np
import pytest

from polyhead.kernels.arrays.bounds import (
    require,
    require_input_gradient,
    require_product,
    require_same,
    require_weight_gradient,
    require_within,
)
from polyhead.kernels.checked import CHECKED


def of(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


FITTING = [
    (require, (True,)),
    (require_within, (np.array([0, 4], np.int32), 5)),
    (require_same, (of(2, 3), of(2, 3))),
    (require_product, (of(2, 3), of(4, 3), of(2, 4))),
    (require_input_gradient, (of(2, 4), of(4, 3), of(2, 3))),
    (require_weight_gradient, (of(2, 4), of(2, 3), of(4, 3), of(4))),
]
OTHERS = [
    (require, (False,)),
    (require_within, (np.array([0, 5], np.int32), 5)),
    (require_within, (np.array([-1, 0], np.int32), 5)),
    (require_same, (of(2, 3), of(2, 4))),
    (require_same, (of(2, 3), of(1, 3))),
    (require_product, (of(2, 3), of(4, 2), of(2, 4))),
    (require_product, (of(2, 3), of(4, 3), of(1, 4))),
    (require_product, (of(2, 3), of(4, 3), of(2, 5))),
    (require_input_gradient, (of(2, 5), of(4, 3), of(2, 3))),
    (require_input_gradient, (of(2, 4), of(4, 3), of(2, 2))),
    (require_input_gradient, (of(2, 4), of(4, 3), of(1, 3))),
    (require_weight_gradient, (of(1, 4), of(2, 3), of(4, 3), of(4))),
    (require_weight_gradient, (of(2, 4), of(2, 3), of(5, 3), of(4))),
    (require_weight_gradient, (of(2, 4), of(2, 3), of(4, 2), of(4))),
    (require_weight_gradient, (of(2, 4), of(2, 3), of(4, 3), of(3))),
]


@pytest.mark.parametrize(("asked", "given"), FITTING)
def test_what_fits_is_let_through(asked: Any, given: tuple[Any, ...]) -> None:
    asked(*given)


@pytest.mark.parametrize(("asked", "given"), OTHERS)
def test_what_does_not_fit_is_an_error_in_the_checked_form(asked: Any, given: tuple[Any, ...]) -> None:
    if not CHECKED:
        asked(*given)
        return
    with pytest.raises(IndexError, match="fit each other|not in the array"):
        asked(*given)
