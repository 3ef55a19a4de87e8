"""The probability of given translations."""

from collections.abc import Callable

import torch
from torch import Tensor

from polyhead.batch import Batch
from polyhead.symbols import PAD

TeacherForcing = Callable[[Tensor, Tensor, Tensor], Tensor]
"""(source [B, S], source_mask [B, S], target_in [B, T]) → logits [B, T, V]; every trainable model has this form."""


@torch.inference_mode()
def score(model: TeacherForcing, batch: Batch) -> Tensor:
    """A batch on the model's device → [B, T] float32 there, log P(y_t | y_<t, X), 0 at `<pad>`.

    A row's sum is the translation's log-probability, `<eos>` included. The model must be in eval mode.
    """
    if not batch.target_out.numel():
        return torch.zeros(batch.target_out.shape, device=batch.target_out.device)
    logits = model(batch.source, batch.source_mask, batch.target_in).float()
    given = logits.gather(2, batch.target_out[:, :, None])[:, :, 0]
    # not log_softmax: that would write V numbers a token where one is wanted
    return (given - logits.logsumexp(-1)).masked_fill(batch.target_out == PAD, 0.0)
