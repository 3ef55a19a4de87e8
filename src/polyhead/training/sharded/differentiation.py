"""The gradients of an update of a model that is divided: each process differentiates its shares of every batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import nn
from torch.distributed.tensor import DTensor

from polyhead.batch import Batch
from polyhead.memory.freed import out_of_memory
from polyhead.model.dropout import drawing_from
from polyhead.training.optimizer import Optimizer
from polyhead.training.process_group import ProcessGroup, answered_while_computing
from polyhead.training.sharded.model import Loss
from polyhead.training.shares import Collected, Seed, TooLarge


@dataclass(frozen=True)
class ShardedDifferentiation:
    """Differentiates the loss of a model that is divided among processes.

    In every pass all processes meet, to bring weights together and to add up gradients. So all make the same number of
    passes: a process that has no share of its own left takes a share of another process, whose gradients it multiplies
    by 0.
    """

    loss: Loss
    optimizer: Optimizer
    """What gets the gradients of the rows that this process holds."""
    world: ProcessGroup
    device: torch.device

    def collect(self, batches: Sequence[Batch], seed: Seed, rounds: int) -> Collected:
        """Collects an update's gradients. Raises TooLarge where memory is short, Deserted where another's is."""
        loss, tokens, drawn = 0.0, 0, 0
        for batch in batches:
            shares = batch.split(self.world.size * rounds)
            for first in range(0, len(shares), self.world.size):
                number = first + self.world.rank
                own = number < len(shares)
                likelihood = self._differentiate(shares[number if own else -1], seed(drawn + number), own)
                if own:
                    loss, tokens = loss + likelihood, tokens + shares[number].target_tokens
            drawn += len(shares)
        self.optimizer.collect([_taken(parameter) for parameter in self.loss.model.parameters()])
        loss, all_tokens = self.world.all_reduce([loss, tokens])
        return Collected(loss, int(all_tokens), rounds)

    def close(self) -> None:
        """Does nothing, as there are no threads to end."""

    def _differentiate(self, share: Batch, seed: int, own: bool) -> float:
        """Adds the gradients of a share to those that the weights have → its plain loss, a sum, in nats."""
        try:
            with answered_while_computing():
                with drawing_from(seed):
                    loss, likelihood = self.loss(share.to(self.device), 1.0 if own else 0.0)
                loss.backward()
                return float(likelihood.detach())
        except (MemoryError, RuntimeError) as error:
            if out_of_memory(error):
                raise TooLarge(
                    f"the share of process {self.world.rank} of a batch does not fit its memory; start more "
                    "processes, also with --resume, or begin anew with a lower --data.batching.max_tokens"
                ) from error
            raise


def _taken(parameter: nn.Parameter) -> torch.Tensor | None:
    """Takes the gradient away from a weight → the gradient of the rows that this process holds; None without any."""
    gradient, parameter.grad = parameter.grad, None
    return None if gradient is None else cast(DTensor, gradient).to_local()
