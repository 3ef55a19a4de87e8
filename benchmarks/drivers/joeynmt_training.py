"""JoeyNMT's model and loss, called as its training step calls them."""

from typing import Any

import torch
from torch import Tensor

from joeynmt_model import joey_batch, joey_model
from plain_loop import PAD, serve_training


class JoeySystem:
    """JoeyNMT's model, which computes its own loss."""

    def __init__(self, size: dict[str, Any]) -> None:
        self.module = joey_model(size)

    def loss(self, source: Tensor, target_in: Tensor, target_out: Tensor) -> Tensor:
        """Summed over target tokens."""
        batch = joey_batch(source, torch.cat([target_in[:, :1], target_out], 1))
        return self.module(return_type="loss", **vars(batch))[0]

    def logits(self, source: Tensor, target_in: Tensor) -> Tensor:
        """[B, T, V]."""
        batch = joey_batch(source, None)
        states, hidden, _, _ = self.module(return_type="encode", **vars(batch))
        return self.module(
            return_type="decode",
            encoder_output=states,
            encoder_hidden=hidden,
            src_mask=batch.src_mask,
            trg_input=target_in,
            unroll_steps=None,
            trg_mask=(target_in != PAD).unsqueeze(1),
        )[0]


if __name__ == "__main__":
    serve_training(JoeySystem)
