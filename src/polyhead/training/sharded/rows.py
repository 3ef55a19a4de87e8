"""A run's state as rows of each tensor, which a process holds, in files of whole tensors or of parts."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import torch
from safetensors import safe_open
from torch import Tensor

from polyhead.training.sharded.files import Described, read_parts
from polyhead.training.sharded.shards import Shards
from polyhead.training.state import weight_of


def as_parts(shards: Shards, held: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """What this process holds of each tensor, by name → DTensors; what all hold alike, as a count of steps, is kept."""
    parts: dict[str, Tensor] = {}
    for name, tensor in held.items():
        weight = weight_of(name)
        rows = shards.rows(weight, shards.world.rank)
        divided = tensor.shape == (rows.stop - rows.start, *shards.shapes[weight][1:])
        parts[name] = shards.described(weight, tensor.detach()) if divided else tensor.detach()
    return parts


def rows_in_parts(folder: Path, described: Described, shards: Shards, device: torch.device) -> dict[str, Tensor]:
    """What this process holds of the tensors in a folder, which all processes read together, each its own rows."""
    held = _empty(described, shards, device)
    read_parts(folder, as_parts(shards, held), shards.world.group_of(torch.device("cpu")))
    return held


def rows_in_file(path: Path, described: Described, shards: Shards, device: torch.device) -> dict[str, Tensor]:
    """What this process holds of the tensors in one file; the rest of the file is not read."""
    held = _empty(described, shards, device)
    with safe_open(path, "pt") as file:
        for name, tensor in held.items():
            whole = described[name].shape == tensor.shape
            rows = shards.rows(weight_of(name), shards.world.rank)
            tensor.copy_(cast(Tensor, file.get_tensor(name) if whole else file.get_slice(name)[rows]))
    return held


def _empty(described: Described, shards: Shards, device: torch.device) -> dict[str, Tensor]:
    """Room for what this process holds of whole tensors; those that belong to no weight are passed over."""
    held: dict[str, Tensor] = {}
    for name, whole in described.items():
        weight, shape = weight_of(name), whole.shape
        if weight not in shards.shapes:
            continue
        if shape == shards.shapes[weight]:
            rows = shards.rows(weight, shards.world.rank)
            shape = torch.Size((rows.stop - rows.start, *shape[1:]))
        held[name] = torch.empty(shape, dtype=whole.dtype, device=device)
    return held
