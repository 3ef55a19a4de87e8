"""A search that is asked at every step whether to go on."""

from collections.abc import Callable
from typing import Any

import pytest
from numpy.typing import NDArray

from polyhead.decoding.cancellable import cancellable
from polyhead.decoding.config import BeamConfig, GreedyConfig, SamplingConfig, SearchConfig
from polyhead.decoding.search import search
from polyhead.model.arrays import InArrays

Make = Callable[..., Any]
Arrays = Callable[..., tuple[NDArray[Any], NDArray[Any]]]


@pytest.mark.parametrize("config", [BeamConfig(beam_size=3), BeamConfig(beam_size=1), GreedyConfig(), SamplingConfig()])
def test_every_search_is_checked_at_every_step_and_finds_the_same(
    table_model: Make, arrays: Arrays, counting: Make, config: SearchConfig
) -> None:
    model, calls = counting(InArrays(table_model(9, seed=2))), []
    found = search(cancellable(model, lambda: calls.append(1)), *arrays(3), config)
    assert len(calls) == 1 + len(model.rows)
    assert found == search(model, *arrays(3), config)


def test_what_the_check_raises_ends_the_search(table_model: Make, arrays: Arrays, counting: Make) -> None:
    model, calls = counting(InArrays(table_model(9, seed=2))), []

    def check() -> None:
        calls.append(1)
        if len(calls) > 3:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        search(cancellable(model, check), *arrays(3), GreedyConfig(min_length=20))
    assert len(model.rows) == 2
