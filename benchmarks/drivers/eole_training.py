"""Eole's model and loss, called as its trainer calls them.

Eole's decoder is pre-norm only, so both its stacks are: a norm more at the end of each, otherwise the same arithmetic.
"""

from typing import Any

import torch
from eole.config.models import TransformerModelConfig
from eole.config.training import TrainingConfig
from eole.models.model import EncoderDecoderModel
from eole.utils.loss import LossCompute
from torch import Tensor, nn

from plain_loop import PAD, serve_training


class _Configuration:
    """The parts of a run's configuration that the loss asks for."""

    def __init__(self, model: TransformerModelConfig, training: TrainingConfig) -> None:
        self.model, self.training = model, training


class EoleSystem:
    """The model, and Eole's own loss with its statistics."""

    def __init__(self, size: dict[str, Any]) -> None:
        if size["encoder_layers"] != size["decoder_layers"]:
            raise ValueError("Eole's `layers` is one number for both stacks")
        model = TransformerModelConfig(
            layers=size["encoder_layers"],
            heads=size["num_heads"],
            hidden_size=size["d_model"],
            transformer_ff=size["d_ff"],
            share_embeddings=True,
            share_decoder_embeddings=True,
            generator_bias=False,
            add_qkvbias=True,
            add_final_linear_bias=True,
            add_ffnbias=True,
            embeddings={
                "word_vec_size": size["d_model"],
                "position_encoding": True,
                "position_encoding_type": "SinusoidalInterleaved",
            },
        )
        training = TrainingConfig(
            dropout=[size["dropout"]],
            attention_dropout=[0.0],
            label_smoothing=size["label_smoothing"],
            log_attention_entropy=False,
        )
        words = {"<pad>": PAD, "<unk>": 1, "<s>": 2, "</s>": 3}
        words |= {str(number): number for number in range(len(words), size["vocabulary"])}
        specials = {"pad_token": "<pad>", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
        vocabularies = {"src": words, "tgt": words, "specials": specials}
        self.module = EncoderDecoderModel.build(model, vocabularies, training)
        _initialise(self.module, size["d_model"])
        self.compute = LossCompute.from_config(_Configuration(model, training), self.module, vocabularies)

    def loss(self, source: Tensor, target_in: Tensor, target_out: Tensor) -> Tensor:
        """Summed over target tokens."""
        target = torch.cat([target_in[:, :1], target_out], 1)
        lengths = (source != PAD).sum(1)
        output, attentions, _ = self.module(source, target, lengths)
        batch = {"tgt": target, "srclen": lengths, "cid": [], "cid_line_number": []}
        return self.compute(batch, output, attentions)[0]

    def logits(self, source: Tensor, target_in: Tensor) -> Tensor:
        """[B, T, V]."""
        # The model leaves out the last target token itself, and takes a target of a single token for a step of a search
        # that it has begun: so two tokens more, which those before them don't see.
        length = target_in.size(1)
        target = torch.cat([target_in, target_in[:, -1:].expand(-1, 2)], 1)
        output, _, _ = self.module(source, target, (source != PAD).sum(1))
        return self.module.generator(output[:, :length])


def _initialise(model: nn.Module, d_model: int) -> None:
    """Glorot's uniform and embeddings of variance 1/D, as the other systems have them: Eole leaves memory as it was."""
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.LayerNorm):
            module.reset_parameters()
    embedding = model.src_emb.embeddings.weight  # of both sides and of the output
    nn.init.normal_(embedding, std=d_model**-0.5)
    nn.init.zeros_(embedding[PAD])


if __name__ == "__main__":
    serve_training(EoleSystem)
