"""Averages of weights: over saved snapshots, or running (EMA). Both smooth the end of training (section 6.1)."""

# PyTorch's kernels over lists of tensors have no public names:
# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import torch
from pydantic import Field
from safetensors.torch import load_file, save_file
from torch import Tensor

from polyhead.config import Config
from polyhead.errors import TrainingError
from polyhead.limits import MOST_LISTED
from polyhead.manifest import check_listed, listed_file


class AveragingConfig(Config):
    """What the final weights are."""

    kind: Literal["last", "best", "ema", "none"] = "last"
    """The mean of the last k snapshots (the paper), of the k best on the dev set, a running mean, or the best one."""
    count: int = Field(default=10, ge=1, le=MOST_LISTED)
    """k: how many snapshots; one is taken at every validation."""
    decay: float = Field(default=0.999, gt=0, lt=1)
    """For `ema`: the share of the old mean kept at every update."""


def save_snapshot(directory: Path, update: int, weights: Mapping[str, Tensor]) -> Path:
    """Writes the weights alone, atomically, and lists the file's digest."""
    path = snapshot_path(directory, update)
    with listed_file(path) as temporary:
        save_file({name: weight.detach().cpu().contiguous() for name, weight in weights.items()}, temporary)
    return path


def snapshot_path(directory: Path, update: int) -> Path:
    """Where the snapshot of an update lies."""
    return directory / f"update-{update:08d}.safetensors"


def check_snapshot(directory: Path, update: int) -> None:
    """Raises ModelError where the snapshot of an update is damaged, OSError where there is none."""
    check_listed(snapshot_path(directory, update))


def average(paths: Iterable[Path]) -> dict[str, Tensor]:
    """The mean of the snapshots' weights, summed in float64 in the order given.

    Raises ModelError where a snapshot is damaged.
    """
    total: dict[str, Tensor] = {}
    count = 0
    for path in paths:
        count += 1
        check_listed(path)
        for name, weight in load_file(path).items():
            total[name] = weight.double() if name not in total else total[name].add_(weight.double())
    return {name: (weight / count).float() for name, weight in total.items()}


def kept_snapshots(scores: Mapping[str, float], config: AveragingConfig) -> list[int]:
    """scores: update → validation score → the updates whose snapshots the final average needs, oldest first."""
    updates = sorted(int(update) for update in scores)
    if config.kind == "last":
        return updates[-config.count :]
    count = config.count if config.kind == "best" else 1
    best = sorted(updates, key=lambda update: (-scores[str(update)], update))[:count]
    return sorted(best)


class RunningMean:
    """m ← decay·m + (1-decay)·w after every update, without the bias towards the first weights.

    The share kept is min(decay, (1+u)/(10+u)) at update u, so that the mean follows quickly at first.
    """

    def __init__(self, weights: Mapping[str, Tensor], decay: float) -> None:
        self.decay = decay
        self.weights = {name: weight.detach().clone() for name, weight in weights.items()}

    def check(self, state: Mapping[str, Tensor], shapes: Mapping[str, torch.Size]) -> None:
        """Raises TrainingError where a checkpoint's tensors, which may be without values, hold no fitting mean.

        shapes: name → shape of the whole weight
        """
        for name, mean in self.weights.items():
            stored = state.get(f"mean.{name}")
            if stored is None or stored.shape != shapes[name] or stored.dtype != mean.dtype:
                raise TrainingError(f"the checkpoint has no running mean of {name} that fits this model")

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Takes the mean from a checkpoint's tensors, which `check` has seen."""
        self.weights = {name: state[f"mean.{name}"].to(mean.device, copy=True) for name, mean in self.weights.items()}

    def add(self, weights: Mapping[str, Tensor], update: int) -> None:
        """Takes in the weights after `update`."""
        share = 1 - min(self.decay, (1 + update) / (10 + update))
        means = list(self.weights.values())
        with torch.no_grad():
            torch._foreach_lerp_(means, [weights[name] for name in self.weights], share)
