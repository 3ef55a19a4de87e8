"""A batch's gradients, from shares of it: at the same time for speed, or one after the other to fit the memory."""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from polyhead.batch import Batch
from polyhead.errors import TrainingError
from polyhead.memory.freed import out_of_memory, trim
from polyhead.model.dropout import drawing_from
from polyhead.training.fused.fuse import Fused
from polyhead.training.loss import label_smoothed_loss
from polyhead.training.optimizer import Optimizer
from polyhead.training.parallel import Workers
from polyhead.training.world import ALONE, World

Seed = Callable[[int], int]
"""The number of a share in its update, from 0 → the seed of its dropout."""


class TooLarge(TrainingError):
    """Not even one sentence at a time fits the memory; says what to do."""


class Collected(NamedTuple):
    """What is known of an update once its gradients are collected."""

    loss: float
    """The plain loss, summed over the target tokens, in nats."""
    tokens: int
    """How many target tokens the update has."""
    rounds: int
    """How many parts each batch of the update had to be cut into."""

    @property
    def advice(self) -> str:
        """What follows from `rounds`, and what the user could do, in words."""
        return (
            f"from now on every batch is cut into {self.rounds} parts, one after the other; "
            "a smaller --data.batching.max_tokens would be faster"
        )


class Collecting(Protocol):
    """What collects the gradients of an update."""

    def collect(self, batches: Sequence[Batch], seed: Seed, rounds: int) -> Collected:
        """Collects the gradients of the batches of an update → what is known of all of it, in every process.

        rounds: how many parts each batch is cut into that are differentiated one after the other
        Raises TooLarge where the memory is not enough.
        """
        ...

    def close(self) -> None:
        """Ends the threads that differentiate, if there are any."""
        ...


@dataclass(frozen=True)
class Differentiation:
    """Differentiates the loss of a model that every process holds whole."""

    fused: Fused
    """The model, and how its loss is computed."""
    optimizer: Optimizer
    """What gets the gradients."""
    workers: Workers
    label_smoothing: float
    world: World = ALONE
    """The processes among which the shares are dealt out."""

    def collect(self, batches: Sequence[Batch], seed: Seed, rounds: int) -> Collected:
        """Differentiates the batches of an update → what is known of all of it, in every process.

        rounds: how many parts each batch is cut into that are differentiated one after the other, each by all workers
        of all processes
        Where a part does not fit the memory of a process, all processes begin again with twice as many rounds. The sums
        are the same for any number of rounds, but for rounding and dropout. Raises TooLarge where even single sentences
        do not fit.
        """
        while True:
            found = self._attempt(batches, seed, rounds)
            mine = (0.0, 0, True) if found is None else (*found, False)
            loss, tokens, failed, *collected = self.world.all_reduce([*mine, *self.optimizer.collected()])
            if not failed:
                self.optimizer.sum_up(self.world, collected)
                return Collected(loss, int(tokens), rounds)
            # What the attempt held can be freed only here, where its error is gone.
            self.optimizer.discard()
            gc.collect()
            trim()
            if self._together * rounds >= max(len(batch.source) for batch in batches):
                raise TooLarge(
                    "even one sentence at a time does not fit the memory; lower --data.max_tokens or "
                    "--training.workers, or train a smaller model"
                )
            rounds *= 2

    def close(self) -> None:
        self.workers.close()

    @property
    def _together(self) -> int:
        """How many shares are differentiated at the same time, in all processes."""
        return self.workers.count * self.world.size

    def _attempt(self, batches: Sequence[Batch], seed: Seed, rounds: int) -> tuple[float, int] | None:
        """Collects the gradients of this process's shares → their loss and target tokens; None: memory was short."""
        try:
            return self._collect(batches, seed, rounds)
        except (MemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
            return None

    def _collect(self, batches: Sequence[Batch], seed: Seed, rounds: int) -> tuple[float, int]:
        losses: list[Tensor] = []
        tokens, drawn = 0, 0
        for batch in batches:
            shares = batch.split(self._together * rounds)
            seeded = [(share, seed(drawn + number)) for number, share in enumerate(shares)]
            drawn += len(shares)
            own = seeded[self.world.rank :: self.world.size]
            for start in range(0, len(own), self.workers.count):
                for gradients, loss, count in self.workers.map(
                    self._differentiate, own[start : start + self.workers.count]
                ):
                    losses.append(loss)
                    tokens += count
                    self.optimizer.collect(gradients)
        total = 0.0
        for loss in losses:
            total += float(loss)  # only now, when all is on its way, is a GPU waited for
        return total, tokens

    def _differentiate(self, share: tuple[Batch, int]) -> tuple[Sequence[Tensor | None], Tensor, int]:
        """Teacher forcing; a share of a batch and a seed → gradients of its summed loss, plain loss (a sum), tokens."""
        batch, seed = share
        model, output = self.fused.model, self.fused.model.output_layer
        device = output.weight.device
        batch = batch.to(device)
        with drawing_from(seed, device):
            features = model.features(batch)
        targets = batch.real(batch.target_out)
        loss, likelihood = label_smoothed_loss(
            features, output.weight, targets, self.label_smoothing, self.fused.projection
        )
        gradients = torch.autograd.grad(loss, self.optimizer.parameters, allow_unused=True)
        return gradients, likelihood.detach(), len(targets)
