"""Looking into a model that others are using: by a second model over its tensors, and a core that tells what it does.

No part of the model itself is ever exchanged: one thread may look inside while another translates with it.
"""

from collections.abc import Callable
from copy import deepcopy
from itertools import chain
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from polyhead.batch import Batch
from polyhead.model.seq2seq import Seq2SeqModel

M = TypeVar("M", bound=nn.Module)

Listener = Callable[[Tensor, Tensor, Tensor, Tensor | None, Tensor], None]
"""A function that is called with (query, key, value, mask, weights [B, H, T, S])."""


def view_of(model: M) -> M:
    """A second model over the same tensors, none of them copied; changing its modules leaves `model` as it is."""
    shared = {id(tensor): tensor for tensor in chain(model.parameters(), model.buffers())}
    return deepcopy(model, shared)


class Noting(nn.Module):
    """An attention's core, which also tells a listener what goes in and the weights that come out."""

    def __init__(self, core: nn.Module, listener: Listener) -> None:
        super().__init__()
        self.core = core
        self._listener = listener

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        # A core's context is weights·V. With V = I it is the weights themselves, whatever the core's formula.
        identity = torch.eye(key.size(-2), dtype=value.dtype, device=value.device)
        weights: Tensor = self.core(query, key, identity.expand(*key.shape[:-1], -1), mask)
        self._listener(query, key, value, mask, weights)
        return weights @ value


def weights_of(model: Seq2SeqModel[Any], site: str, batch: Batch) -> Tensor:
    """The weights [B, H, T, S] of the attention called `site` in one teacher-forced pass; the model in eval mode."""
    view = view_of(model)
    attention = view.get_submodule(site)
    heard: list[Tensor] = []

    def listen(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, weights: Tensor) -> None:
        heard.append(weights)

    attention.core = Noting(attention.get_submodule("core"), listen)
    with torch.inference_mode():
        view.decode(batch.target_in, view.encode(batch.source, batch.source_mask))
    return heard[0]
