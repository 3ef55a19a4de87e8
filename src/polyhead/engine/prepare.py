"""A trained model → what searches call."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from polyhead.engine import pack as kernel_packs
from polyhead.engine.choice import Choice
from polyhead.engine.fused import FusedTransformer, has_fused_form
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
from polyhead.model.seq2seq import Seq2Seq, Seq2SeqModel
from polyhead.model.transformer import Transformer

PACKS: dict[str, Pack] = {"float32": pack_float32, "bfloat16": pack_bfloat16, "int8": pack_int8}
FUSED: dict[str, kernel_packs.Pack] = {"float32": kernel_packs.pack_float32, "int8": kernel_packs.pack_int8}
WEIGHTY = 1 << 23
"""Bytes of a weight, as a rule the vocabulary's, whose packing decides the peak: freed memory goes back first."""


def prepare(model: Seq2SeqModel[Any], choice: Choice) -> Seq2Seq[Any]:
    """The model prepared as `choose` says; the plain engine is the model itself, in eval mode.

    The prepared form holds packed copies of the weights: what happens to the model later doesn't reach them. Where
    weights are pages of a file (`load_bundle`), those that only packing reads stay there and leave memory as soon as
    they are packed; what a search reads gets memory of its own.
    """
    file = FilePages.of(model.parameters())
    if choice.engine == "plain" or not isinstance(model, Transformer):
        file.copy_out(model.parameters())
        return model
    pack = PACKS[choice.dtype]
    if choice.dtype == "float32" and not torch.backends.mkldnn.is_available():
        pack = pack_plain
    left = set[Tensor]() if pack is pack_plain else only_packed(model)
    file.copy_out(weight for weight in model.parameters() if weight not in left)
    with large_pages(), torch.inference_mode():
        if has_fused_form(model, choice.dtype):
            return FusedTransformer(model, FUSED[choice.dtype], file.give_back)
        with leaving(file, pack) as packed:
            return PreparedTransformer(model, packed)


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
