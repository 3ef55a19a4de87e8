"""The contract of every translation model, and the base class that trainable ones share.

Shapes: B batch, S source length, T target length, D d_model, V target vocabulary.
"""

from abc import ABC, abstractmethod
from typing import Any, Generic, Protocol

import torch
from torch import Tensor, nn
from typing_extensions import TypeVar

from polyhead.batch import Batch
from polyhead.model.state import Memory, State

S = TypeVar("S", bound=State, default=Any)


class Seq2Seq(Protocol[S]):
    """What decoding needs of a model, in tensors. The Transformer and the RNNs have it; searches use it in arrays."""

    def encode(self, source: Tensor, source_mask: Tensor) -> Memory:
        """source [B, S] int64, source_mask [B, S] bool (True at real tokens) → what the decoder may look at."""
        ...

    def start(self, memory: Memory) -> S:
        """The decoder's state before the first token, a row for every row of the memory."""
        ...

    def step(self, previous: Tensor, state: S) -> tuple[Tensor, S]:
        """previous [B] int64, the token just written → logits [B, V] for the next one, and the state after it.

        The logits are the caller's own: a search's rules write into them.
        """
        ...


class Seq2SeqModel(nn.Module, ABC, Generic[S]):
    """A trainable `Seq2Seq`: teacher forcing is `output_layer(decode(target_in, encode(source)))`.

    `decode` and `output_layer` are apart so that the loss can fuse the projection onto V words with its cross-entropy.
    """

    alignment_site: str | None = None
    """The name of the attention module whose weights align target with source words; None without attention."""

    @abstractmethod
    def encode(self, source: Tensor, source_mask: Tensor) -> Memory:
        """source [B, S] int64, source_mask [B, S] bool → memory."""

    @abstractmethod
    def decode(self, target_in: Tensor, memory: Memory) -> Tensor:
        """target_in [B, T] int64 → features [B, T, D], position t seeing target_in[:, :t+1] only."""

    @property
    @abstractmethod
    def output_layer(self) -> "OutputLayer":
        """The linear map from features [.., D] to logits [.., V]."""

    @abstractmethod
    def start(self, memory: Memory) -> S:
        """The decoder's state before the first token."""

    @abstractmethod
    def step(self, previous: Tensor, state: S) -> tuple[Tensor, S]:
        """previous [B] int64 → logits [B, V], next state."""

    @property
    def device(self) -> torch.device:
        """Where the model's weights are, and where its inputs have to be."""
        return next(self.parameters()).device

    def features(self, batch: Batch) -> Tensor:
        """Teacher forcing, what `decode` gives at real target tokens only: [N, D], sentence by sentence."""
        return batch.real(self.decode(batch.target_in, self.encode(batch.source, batch.source_mask)))

    def forward(self, source: Tensor, source_mask: Tensor, target_in: Tensor) -> Tensor:
        """Teacher forcing: the whole target, shifted right, goes in at once → logits [B, T, V]."""
        return self.output_layer(self.decode(target_in, self.encode(source, source_mask)))


class OutputLayer(nn.Module):
    """features [.., D] → logits [.., V]; the weight [V, D] may be an embedding's (Press & Wolf 2017). No bias."""

    def __init__(self, weight: nn.Parameter) -> None:
        super().__init__()
        self.weight = weight

    def forward(self, features: Tensor) -> Tensor:
        """features [.., D] → logits [.., V]."""
        return nn.functional.linear(features, self.weight)
