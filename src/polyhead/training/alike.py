"""The processes of a run hold the same weights, to the bit: each computes the same update from the same sums."""

import hashlib
from collections.abc import Mapping

import torch
from torch import Tensor

from polyhead.errors import TrainingError
from polyhead.training.world import World


def check_alike(world: World, weights: Mapping[str, Tensor], update: int) -> None:
    """Raises TrainingError, in all processes, where the weights after an update are not the same in all of them."""
    if world.size == 1:
        return
    found = world.all_gather(digest_of_weights(weights))
    if others := [rank for rank, digest in enumerate(found) if digest != found[0]]:
        raise TrainingError(
            f"after update {update} the weights of process {others[0]} are not those of process 0, so nothing of them "
            "is kept: the machines do not compute alike; let all have CPUs or GPUs of one kind, the same libraries and "
            "as many --threads, and go on with --resume"
        )


def digest_of_weights(weights: Mapping[str, Tensor]) -> str:
    """The SHA-256 digest of the weights' names and numbers, in hexadecimal."""
    digest = hashlib.sha256()
    for name, weight in weights.items():
        digest.update(name.encode())
        digest.update(bytes(weight.detach().cpu().contiguous().flatten().view(torch.uint8).numpy()))
    return digest.hexdigest()
