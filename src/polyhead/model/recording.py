"""Attention weights, seen from outside: while recording, every attention's core is the explicit one and takes notes.

The model's code has neither a flag nor a stored map; when the block ends, its own cores are back.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import Tensor, nn

from polyhead.batch import Batch
from polyhead.model.attention import attention
from polyhead.model.seq2seq import Seq2SeqModel

Maps = dict[str, list[Tensor]]
"""Name of the attention module → the weights [B, H, T, S] of each of its calls."""


class RecordingCore(nn.Module):
    """Equation 1, noting its weights under a name."""

    def __init__(self, name: str, maps: Maps) -> None:
        super().__init__()
        self._name = name
        self._maps = maps

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        context, weights = attention(query, key, value, mask)
        self._maps.setdefault(self._name, []).append(weights.detach())
        return context


@contextmanager
def recording(model: nn.Module) -> Generator[Maps, None, None]:
    """Within the block, every attention of `model` (any module with a `core`) adds its weights to the maps."""
    maps: Maps = {}
    attentions = _attentions(model)
    cores = {name: module.get_submodule("core") for name, module in attentions.items()}
    try:
        for name, module in attentions.items():
            module.core = RecordingCore(name, maps)
        yield maps
    finally:
        for name, module in attentions.items():
            module.core = cores[name]


def record_pass(model: Seq2SeqModel[Any], batch: Batch) -> Maps:
    """The weights of every attention in one teacher-forced pass over a batch; the model must be in eval mode."""
    with torch.inference_mode(), recording(model) as maps:
        model.decode(batch.target_in, model.encode(batch.source, batch.source_mask))
    return maps


def _attentions(model: nn.Module) -> dict[str, nn.Module]:
    modules = cast("Iterator[tuple[str, nn.Module]]", model.named_modules())
    return {name: module for name, module in modules if isinstance(getattr(module, "core", None), nn.Module)}
