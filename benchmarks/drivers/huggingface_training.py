"""Hugging Face's MarianMTModel with a plain loop."""

from typing import Any

import torch
from torch import Tensor, nn
from transformers import MarianConfig, MarianMTModel

from plain_loop import EOS, PAD, SOS, serve_training


class HuggingFaceSystem:
    """The model, and PyTorch's cross-entropy with label smoothing, as Transformers' own examples have it."""

    def __init__(self, size: dict[str, Any]) -> None:
        config = MarianConfig(
            vocab_size=size["vocabulary"],
            d_model=size["d_model"],
            encoder_layers=size["encoder_layers"],
            decoder_layers=size["decoder_layers"],
            encoder_attention_heads=size["num_heads"],
            decoder_attention_heads=size["num_heads"],
            encoder_ffn_dim=size["d_ff"],
            decoder_ffn_dim=size["d_ff"],
            dropout=size["dropout"],
            attention_dropout=0.0,
            activation_dropout=0.0,
            activation_function="relu",
            scale_embedding=True,
            init_std=size["d_model"] ** -0.5,
            pad_token_id=PAD,
            bos_token_id=SOS,
            eos_token_id=EOS,
            decoder_start_token_id=SOS,
            max_position_embeddings=512,
            use_cache=False,
        )
        self.module = MarianMTModel(config)
        self.criterion = nn.CrossEntropyLoss(ignore_index=PAD, reduction="sum", label_smoothing=size["label_smoothing"])

    def loss(self, source: Tensor, target_in: Tensor, target_out: Tensor) -> Tensor:
        """Summed over target tokens."""
        return self.criterion(self.logits(source, target_in).flatten(0, 1), target_out.flatten())

    def logits(self, source: Tensor, target_in: Tensor) -> Tensor:
        """[B, T, V]."""
        # No mask for the decoder's padding: it stands on the right, where the look-ahead mask hides it already.
        return self.module(
            input_ids=source,
            attention_mask=(source != PAD).to(torch.int64),
            decoder_input_ids=target_in,
            decoder_attention_mask=torch.ones_like(target_in),
            use_cache=False,
        ).logits


if __name__ == "__main__":
    serve_training(HuggingFaceSystem)
