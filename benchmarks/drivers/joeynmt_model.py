"""JoeyNMT's Transformer, built by its own builder."""

from typing import Any

import torch
from joeynmt.batch import Batch
from joeynmt.model import Model, build_model
from torch import Tensor

PAD, UNK, SOS, EOS = 0, 1, 2, 3


class Vocabulary:
    """What the model asks of a vocabulary. JoeyNMT's own class fixes other ids for `<pad>` and `<unk>`."""

    pad_index, unk_index, bos_index, eos_index, sep_index = PAD, UNK, SOS, EOS, None
    specials: tuple[str, ...] = ()
    lang_tags: tuple[str, ...] = ()

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size


def joey_model(size: dict[str, Any]) -> Model:
    """The model of a size, its dropout where the other systems have theirs."""

    def stack(layers: int) -> dict[str, Any]:
        return {
            "type": "transformer",
            "num_layers": layers,
            "num_heads": size["num_heads"],
            "hidden_size": size["d_model"],
            "ff_size": size["d_ff"],
            "dropout": size["dropout"],
            "layer_norm": "post",
            "activation": "relu",
            "embeddings": {"embedding_dim": size["d_model"], "scale": True, "dropout": size["dropout"]},
        }

    vocabulary = Vocabulary(size["vocabulary"])
    config = {
        "encoder": stack(size["encoder_layers"]),
        "decoder": stack(size["decoder_layers"]),
        "tied_embeddings": True,
        "tied_softmax": True,
        # The default makes embeddings of the tied softmax so small that post-norm layers hardly learn.
        "embed_initializer": "normal",
        "embed_init_weight": size["d_model"] ** -0.5,
    }
    model = build_model(config, vocabulary, vocabulary)
    model.loss_function = ("crossentropy", size["label_smoothing"])
    for name, module in model.named_modules():
        if name.endswith(("_att.dropout", "pwff_layer.2")):
            module.p = 0.0  # on attention weights and within the feed-forward network the paper has none
    return model


def joey_batch(source: Tensor, target: Tensor | None) -> Batch:
    """source [B, S]; target [B, T + 1] with `<sos>` and `<eos>`, or None to translate."""
    return Batch(
        src=source,
        src_length=(source != PAD).sum(1),
        src_prompt_mask=None,
        trg=target,
        trg_prompt_mask=None,
        indices=torch.arange(len(source)),
        device=torch.device("cpu"),
        pad_index=PAD,
        eos_index=EOS,
        is_train=target is not None,
    )
