"""The tree of pasts: who descends from whom, and what is kept."""

import numpy as np

from polyhead.engine.past_tree import NODES_AT_FIRST, Past


def rows(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def test_descent_is_followed() -> None:
    past = Past.begin(2, layers=1, width=3).append().select(rows(0, 0, 1)).append()
    assert past.ancestors.tolist() == [[0, 2], [0, 3], [1, 4]]
    assert past.select(rows(1, 2)).append().ancestors.tolist() == [[0, 3, 5], [1, 4, 6]]


def test_a_second_step_from_one_past_gets_nodes_of_its_own() -> None:
    past = Past.begin(1, 1, 1).append()
    assert past.append().ancestors.tolist() == [[0, 1]]
    assert past.append().ancestors.tolist() == [[0, 2]]


def test_nodes_of_the_dead_are_swept_out_and_the_living_keep_theirs() -> None:
    past = Past.begin(2, layers=2, width=1)
    for step in range(NODES_AT_FIRST):
        past = past.append()
        past.nodes.values[:, past.ancestors[:, -1], 0] = [[2 * step, 2 * step + 1], [-2 * step, -2 * step - 1]]
        past = past.select(rows(1, 1))
    kept = past.nodes.values[:, past.ancestors[0], 0]
    assert kept[0].tolist() == [2 * step + 1 for step in range(NODES_AT_FIRST)]
    assert kept[1].tolist() == [-2 * step - 1 for step in range(NODES_AT_FIRST)]
    assert past.nodes.values.shape[1] <= 2 * NODES_AT_FIRST + 4, "of two nodes a step one has descendants"


def test_a_sweep_leaves_other_states_what_they_have() -> None:
    before = Past.begin(1, 1, 1).append()
    before.nodes.values[0, 0] = 7
    after = before
    for _ in range(2 * NODES_AT_FIRST):
        after = after.append()
    assert after.nodes is not before.nodes
    assert before.nodes.values[0, before.ancestors[0, 0]] == after.nodes.values[0, after.ancestors[0, 0]] == 7
