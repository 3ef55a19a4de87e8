"""A whole run on a GPU learns what one on the CPU learns, and goes on from its checkpoint as if it had not stopped."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from polyhead.recipe import arrangement, plan
from polyhead.recipe.train import train
from polyhead.training.fused.fuse import fuse_for_gpu
from tests.conftest import Toy
from tests.devices import on_any_device

LEARNT = {"float32": 1e-3, "bfloat16": 0.02}
"""How far the dev loss may be from that of the CPU in float32, as a share of it,"""
RESUMED = 0.02
"""and weights of a resumed run on a GPU, which adds up in any order, from those of one that did not stop."""
PRECISIONS = pytest.mark.parametrize("precision", LEARNT)


@pytest.fixture
def moved(device: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes trainings of this test go to the device, with a GPU's parts."""

    def move() -> None:
        monkeypatch.setattr(plan, "choose_device", lambda *_: torch.device(device))
        monkeypatch.setattr(arrangement, "fuse", lambda model, arithmetic, _: fuse_for_gpu(model.train(), arithmetic))

    return move


def recipe(toy: Toy, out: str, precision: str, **keys: Any) -> dict[str, Any]:
    newest = {"kind": "last", "count": 1}
    given = {"training__max_updates": 16, "training__averaging": newest, "training__precision": precision}
    return toy.values(out, **given | keys)


def dev_loss(directory: Path) -> float:
    lines = (directory / "training" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [line["dev_loss"] for line in map(json.loads, lines) if "dev_loss" in line][-1]


@on_any_device
@PRECISIONS
def test_a_run_learns_what_one_on_the_cpu_learns(
    toy: Toy, moved: Callable[[], None], precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "choose_device", lambda *_: torch.device("cpu"))
    here = dev_loss(train(recipe(toy, "here", "float32", model__dropout=0.0)).directory)
    moved()
    there = dev_loss(train(recipe(toy, "there", precision, model__dropout=0.0)).directory)
    assert there == pytest.approx(here, rel=LEARNT[precision])


@on_any_device
@PRECISIONS
def test_a_resumed_run_ends_as_one_that_did_not_stop(
    toy: Toy, moved: Callable[[], None], precision: str, device: str
) -> None:
    """With dropout, which follows from the seed and the update. On a CPU to the bit."""
    moved()
    whole = train(recipe(toy, "whole", precision, model__dropout=0.2)).directory
    train(recipe(toy, "cut", precision, model__dropout=0.2, training__max_updates=8))
    cut = train(recipe(toy, "cut", precision, model__dropout=0.2), resume=True).directory
    found, wanted = (load_file(each / "model.safetensors") for each in (cut, whole))
    assert found.keys() == wanted.keys()
    for name, weight in wanted.items():
        if device == "cpu":
            assert torch.equal(found[name], weight)
        else:
            whole_part, cut_part = effective(name, weight), effective(name, found[name])
            assert (cut_part - whole_part).norm() <= RESUMED * whole_part.norm()


def effective(name: str, weight: Tensor) -> Tensor:
    """The part of a weight that the loss depends on → all of it, or a bias of queries and values without the keys'.

    What is added to all keys alike adds the same to all scores of a query, which the softmax takes away. The gradient
    is 0 but for rounding, and Adam's steps are as long after a gradient of rounding as after any other.
    """
    if not name.endswith("query_key_value.bias"):
        return weight
    queries, _, values = weight.chunk(3)
    return torch.cat([queries, values])
