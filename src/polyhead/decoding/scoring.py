"""The probability of given translations."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from polyhead.symbols import PAD

TeacherForcing = Callable[[Tensor, Tensor, Tensor], Tensor]
"""(source [B, S], source_mask [B, S], target_in [B, T]) → logits [B, T, V]: every trainable model, `mean_of`."""


@torch.inference_mode()
def score(model: TeacherForcing, source: Tensor, source_mask: Tensor, target_in: Tensor, target_out: Tensor) -> Tensor:
    """source, source_mask [B, S]; target_in, target_out [B, T] → [B, T] float32, log P(y_t | y_<t, X), 0 at `<pad>`.

    A row's sum is the translation's log-probability, `<eos>` included. The model must be in eval mode.
    """
    if not target_out.numel():
        return torch.zeros(target_out.shape, device=target_out.device)
    logits = model(source, source_mask, target_in).float()
    given = logits.gather(2, target_out[:, :, None])[:, :, 0]
    # not log_softmax: that would write V numbers a token where one is wanted
    return (given - logits.logsumexp(-1)).masked_fill(target_out == PAD, 0.0)


def mean_of(models: Sequence[TeacherForcing]) -> TeacherForcing:
    """The ensemble of models with one vocabulary: its logits are the logarithm of their mean probability."""

    def forward(source: Tensor, source_mask: Tensor, target_in: Tensor) -> Tensor:
        each = [model(source, source_mask, target_in).float().log_softmax(-1) for model in models]
        return torch.stack(each).logsumexp(0) - math.log(len(each))

    return forward
