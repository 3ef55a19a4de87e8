"""Averages of weights."""

from pathlib import Path

import pytest
import torch

from polyhead.training.averaging import (
    AveragingConfig,
    RunningMean,
    average,
    kept_snapshots,
    save_snapshot,
    snapshot_path,
)

SCORES = {"100": 3.0, "200": 9.0, "300": 5.0, "1000": 9.0, "1100": 4.0}


def test_the_average_is_the_mean_of_the_snapshots(tmp_path: Path) -> None:
    snapshots = [{"a": torch.randn(3, 4), "b": torch.randn(5)} for _ in range(4)]
    paths = [save_snapshot(tmp_path, update, weights) for update, weights in enumerate(snapshots)]
    mean = average(paths)
    assert set(mean) == {"a", "b"}
    for name, weight in mean.items():
        expected = torch.stack([snapshot[name].double() for snapshot in snapshots]).mean(0)
        assert weight.dtype == torch.float32
        torch.testing.assert_close(weight, expected.float(), atol=0, rtol=1e-6)


def test_the_average_of_one_is_itself(tmp_path: Path) -> None:
    weights = {"a": torch.randn(3, 4)}
    assert torch.equal(average([save_snapshot(tmp_path, 7, weights)])["a"], weights["a"])


def test_a_snapshot_may_be_a_view_and_lies_where_it_says(tmp_path: Path) -> None:
    weight = torch.randn(4, 3, requires_grad=True)
    (tmp_path / "new").mkdir()
    path = save_snapshot(tmp_path / "new", 12, {"a": weight.t()})
    assert path == snapshot_path(tmp_path / "new", 12)
    assert sorted(file.name for file in path.parent.iterdir()) == ["SHA256SUMS", "update-00000012.safetensors"]
    assert torch.equal(average([path])["a"], weight.detach().t())


@pytest.mark.parametrize(
    ("kind", "count", "kept"),
    [
        ("last", 2, [1000, 1100]),
        ("last", 10, [100, 200, 300, 1000, 1100]),
        ("best", 1, [200]),
        ("best", 3, [200, 300, 1000]),
        ("best", 10, [100, 200, 300, 1000, 1100]),
        ("ema", 10, [200]),
        ("none", 10, [200]),
    ],
)
def test_keeps_the_snapshots_that_the_average_needs(kind: str, count: int, kept: list[int]) -> None:
    """By number, not by text ("1000" < "200"); of equal scores the earlier one."""
    config = AveragingConfig.model_validate({"kind": kind, "count": count})
    assert kept_snapshots(SCORES, config) == kept
    assert kept_snapshots(dict(reversed(SCORES.items())), config) == kept
    assert kept_snapshots({}, config) == []


def test_a_restored_running_mean_lies_where_it_lay() -> None:
    mean = RunningMean({"w": torch.zeros(5, device="meta")}, decay=0.5)
    mean.restore({"mean.w": torch.ones(5)})
    assert mean.weights["w"].device.type == "meta"


def test_running_mean_follows_its_formula() -> None:
    first, *others = (torch.randn(5) for _ in range(6))
    mean = RunningMean({"w": first}, decay=0.5)
    expected = first.clone()
    for update, weight in enumerate(others, start=1):
        mean.add({"w": weight}, update)
        share = min(0.5, (1 + update) / (10 + update))
        expected = share * expected + (1 - share) * weight
        torch.testing.assert_close(mean.weights["w"], expected)


def test_running_mean_forgets_the_first_weights_and_smooths_the_last() -> None:
    mean = RunningMean({"w": torch.full((1,), 1e6)}, decay=0.99)
    for update in range(1, 2001):
        mean.add({"w": torch.tensor([3.0 + (-1) ** update])}, update)
    assert float(mean.weights["w"]) == pytest.approx(3.0, abs=0.02)


def test_running_mean_is_a_copy_without_gradient() -> None:
    weight = torch.nn.Parameter(torch.ones(3))
    mean = RunningMean({"w": weight}, decay=0.9)
    with torch.no_grad():
        weight.fill_(5)
    assert (mean.weights["w"] == 1).all()
    mean.add({"w": weight}, 1)
    assert not mean.weights["w"].requires_grad
    assert (weight == 5).all()
