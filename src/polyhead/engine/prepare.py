"""A trained model → what searches call."""

from typing import Any

import torch

from polyhead.engine.choice import Choice
from polyhead.engine.pages import large_pages
from polyhead.engine.projection import Pack, pack_bfloat16, pack_float32, pack_int8, pack_plain
from polyhead.engine.transformer import PreparedTransformer
from polyhead.model.seq2seq import Seq2Seq, Seq2SeqModel
from polyhead.model.transformer import Transformer

PACKS: dict[str, Pack] = {"float32": pack_float32, "bfloat16": pack_bfloat16, "int8": pack_int8}


@torch.inference_mode()
def prepare(model: Seq2SeqModel[Any], choice: Choice) -> Seq2Seq[Any]:
    """The model prepared as `choose` says; the plain engine is the model itself, in eval mode.

    The prepared form holds packed copies of the weights: what happens to the model later doesn't reach it.
    """
    if choice.engine == "plain" or not isinstance(model, Transformer):
        return model
    pack = PACKS[choice.dtype]
    if choice.dtype == "float32" and not torch.backends.mkldnn.is_available():
        pack = pack_plain
    with large_pages():
        return PreparedTransformer(model, pack)
