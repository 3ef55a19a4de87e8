"""Heads made by hand are recognised."""

import numpy as np
import pytest

from polyhead.inspection.head_finder import find_heads
from polyhead.inspection.tensors import Tensors

N = 6
EVERY, CAUSAL = np.ones((N, N), dtype=bool), np.tri(N, dtype=bool)
CONTENT = np.array([False, True, True, True, True, False])


def shifted(offset: int) -> np.ndarray:
    weights = np.eye(N, k=offset)
    weights[weights.sum(1) == 0, 0] = 1
    return weights


def found(weights: np.ndarray, site: str = "encoder.self", mask: np.ndarray = EVERY, sink: int = N - 1) -> dict:
    arrays = {"weights": weights[None].astype(np.float32), "mask": mask, "q": np.zeros((1, N, 2), np.float32)}
    noted = {(f"{site}.{name}", 0): array for name, array in arrays.items()}
    [head] = find_heads(Tensors(noted, {site: 1.0}), site, CONTENT, N, sink)
    return head


@pytest.mark.parametrize(("label", "offset"), [("diagonal", 0), ("previous", -1), ("next", 1)])
def test_heads_that_look_beside_themselves(label, offset):
    head = found(shifted(offset))
    assert head["label"] == label
    assert head["scores"][label] == 1
    assert head["scores"]["entropy"] == 0
    assert head["scores"]["alignment"] is None


def test_a_sink_and_a_head_that_looks_everywhere():
    sink = np.zeros((N, N))
    sink[:, -1] = 1
    assert found(sink)["label"] == "eos"
    even = found(np.full((N, N), 1 / N))
    assert (even["label"], even["scores"]["entropy"]) == ("entropy", pytest.approx(1))
    mixed = found(0.5 * np.full((N, N), 1 / N) + 0.35 * np.eye(N) + 0.15 * shifted(1))
    assert mixed["label"] == "diagonal"


def test_alignment_is_sharp_and_over_all_words():
    # words 1 to 4 of the source for queries 0 to 3, `<eos>` for the rest
    aligned = np.eye(N)[[1, 2, 3, 4, 5, 5]]
    crossing = found(aligned, "decoder.cross")
    assert crossing["label"] == "alignment"
    assert crossing["scores"]["diagonal"] is None
    stuck = np.eye(N)[[1] * N]
    assert found(stuck, "decoder.cross")["scores"]["alignment"] == pytest.approx(1 / 4)


def test_a_query_with_no_choice_says_nothing():
    first = found(np.tri(N) / np.arange(1, N + 1)[:, None], "decoder.self", CAUSAL, 0)
    assert first["scores"]["entropy"] == pytest.approx(1)
    assert first["scores"]["diagonal"] == pytest.approx(np.mean([1 / n for n in range(2, N + 1)]))
    alone = np.ones((N, N), dtype=bool) & (np.arange(N) == 0)
    silent = found(alone.astype(float), "decoder.self", alone, 0)
    assert (silent["label"], silent["scores"]["eos"], silent["scores"]["entropy"]) == (None, None, None)
