"""Modules → an engine of PyTorch's operations."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from polyhead.engine.choice import has_onednn
from polyhead.engine.in_arrays import PreparedInArrays
from polyhead.engine.mapped import FilePages
from polyhead.engine.pages import large_pages
from polyhead.engine.projection import (
    Activation,
    Pack,
    Projection,
    pack_bfloat16,
    pack_float32,
    pack_int8,
    pack_plain,
)
from polyhead.engine.transformer import PreparedTransformer
from polyhead.memory import trim
from polyhead.model.arrays import InArrays
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.model.transformer import Transformer

PACKS: dict[str, Pack] = {"float32": pack_float32, "bfloat16": pack_bfloat16, "int8": pack_int8}
WEIGHTY = 1 << 23
"""Bytes of a weight, as a rule the vocabulary's, whose packing decides the peak: freed memory goes back first."""


def plain(model: Seq2SeqModel[Any]) -> InArrays:
    """The model itself, in eval mode, on whatever device; its weights get memory of their own."""
    FilePages.of(weight.data_ptr() for weight in model.parameters()).copy_out(model.parameters())
    return InArrays(model, next(model.parameters()).device)


def prepared(model: Transformer, dtype: str) -> PreparedInArrays:
    """Packed copies of its weights. Raises TypeError for a part that has no prepared form."""
    pack = PACKS[dtype]
    if dtype == "float32" and not has_onednn():
        pack = pack_plain
    file = FilePages.of(weight.data_ptr() for weight in model.parameters())
    left = set[Tensor]() if pack is pack_plain else only_packed(model)
    file.copy_out(weight for weight in model.parameters() if weight not in left)
    with large_pages(), torch.inference_mode(), leaving(file, pack) as packed:
        return PreparedInArrays(PreparedTransformer(model, packed))


def only_packed(model: Transformer) -> set[Tensor]:
    """The matrices of all layers: a search reads their packed form alone, but embeddings, biases, norms as they are."""
    parts = [*model.encoder.modules(), *model.decoder.modules()]
    return {part.weight for part in parts if isinstance(part, nn.Linear)}


@contextmanager
def leaving(file: FilePages, pack: Pack) -> Generator[Pack]:
    """The same pack; within the block the file leaves memory after each weight."""
    inside = True

    def packed(weight: Tensor, bias: Tensor | None, activation: Activation) -> Projection:
        if inside and weight.nbytes >= WEIGHTY:
            trim()
        projection = pack(weight, bias, activation)
        if inside:
            file.give_back()
        return projection

    yield packed
    inside = False  # from now on the model may be changed: its pages would no longer be the file's
