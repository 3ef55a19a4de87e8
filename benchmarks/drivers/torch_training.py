"""`torch.nn.Transformer` with a plain loop."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from plain_loop import PAD, serve_training


class TorchTransformer(nn.Module):
    """PyTorch's own module between tied embeddings with sinusoidal positions."""

    def __init__(self, size: dict[str, Any]) -> None:
        super().__init__()
        d_model = size["d_model"]
        self.tokens = nn.Embedding(size["vocabulary"], d_model, padding_idx=PAD)
        nn.init.normal_(self.tokens.weight, std=d_model**-0.5)
        nn.init.zeros_(self.tokens.weight[PAD])
        self.dropout = nn.Dropout(size["dropout"])
        self.transformer = nn.Transformer(
            d_model,
            size["num_heads"],
            size["encoder_layers"],
            size["decoder_layers"],
            size["d_ff"],
            size["dropout"],
            batch_first=True,
        )
        # After a post-norm stack a further norm is nobody else's work.
        self.transformer.encoder.norm = self.transformer.decoder.norm = None
        for layer in [*self.transformer.encoder.layers, *self.transformer.decoder.layers]:
            layer.dropout.p = 0.0  # within the feed-forward network, where the paper has none
            layer.self_attn.dropout = 0.0
            if hasattr(layer, "multihead_attn"):
                layer.multihead_attn.dropout = 0.0
        self.register_buffer("positions", _sinusoids(512, d_model), persistent=False)

    def forward(self, source: Tensor, target_in: Tensor) -> Tensor:
        """→ logits [B, T, V]."""
        hidden = source == PAD
        ahead = torch.ones(target_in.size(1), target_in.size(1), dtype=torch.bool, device=source.device).triu(1)
        features = self.transformer(
            self._embed(source),
            self._embed(target_in),
            tgt_mask=ahead,
            src_key_padding_mask=hidden,
            memory_key_padding_mask=hidden,
        )
        return features @ self.tokens.weight.T

    def _embed(self, tokens: Tensor) -> Tensor:
        scaled = self.tokens(tokens) * math.sqrt(self.tokens.embedding_dim)
        return self.dropout(scaled + self.get_buffer("positions")[: tokens.size(1)])


class TorchSystem:
    """The module and PyTorch's cross-entropy."""

    def __init__(self, size: dict[str, Any]) -> None:
        self.module = TorchTransformer(size)
        self.criterion = nn.CrossEntropyLoss(ignore_index=PAD, reduction="sum", label_smoothing=size["label_smoothing"])

    def loss(self, source: Tensor, target_in: Tensor, target_out: Tensor) -> Tensor:
        """Summed over target tokens."""
        return self.criterion(self.module(source, target_in).flatten(0, 1), target_out.flatten())

    def logits(self, source: Tensor, target_in: Tensor) -> Tensor:
        """[B, T, V]."""
        return self.module(source, target_in)


def _sinusoids(length: int, d_model: int) -> Tensor:
    position = torch.arange(length)[:, None]
    angle = position / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


if __name__ == "__main__":
    serve_training(TorchSystem)
