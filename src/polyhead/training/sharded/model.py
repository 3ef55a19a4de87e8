"""FSDP2 around a model: layer by layer, weights are brought together when they are needed, and then freed."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard

from polyhead.batch import Batch
from polyhead.model.decoder import DecoderLayer
from polyhead.model.encoder import EncoderLayer
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.training.fused.fuse import ON_GPU, exchanged
from polyhead.training.loss import label_smoothed_loss
from polyhead.training.precision import Arithmetic
from polyhead.training.process_group import ProcessGroup
from polyhead.training.sharded.shards import Shards

LAYERS = EncoderLayer, DecoderLayer
"""The layers, each brought together as one group; all other weights, such as embeddings, are one more group."""


class Loss(nn.Module):
    """A model with its loss, as the output layer's weight is needed outside of the model's own `forward`."""

    def __init__(self, model: Seq2SeqModel[Any], smoothing: float) -> None:
        super().__init__()
        self.model = model
        self.smoothing = smoothing

    def forward(self, batch: Batch, share: float) -> tuple[Tensor, Tensor]:
        """Teacher forcing → (`share` times the loss to differentiate, plain negative log-likelihood), sums in nats."""
        features = self.model.features(batch)
        targets = batch.target_out[batch.target_mask]
        loss, likelihood = label_smoothed_loss(features, self.model.output_layer.weight, targets, self.smoothing)
        return loss * share, likelihood


def divide(
    model: Seq2SeqModel[Any], smoothing: float, dtype: torch.dtype, world: ProcessGroup, device: torch.device
) -> tuple[Loss, Shards]:
    """Divides a model, which lies whole on the CPU, among the processes of a world; the model computes in the dtype.

    All processes begin with the weights of process 0. Only one layer at a time is whole on the device.
    """
    _begin_alike(model, world)
    shapes = {name: parameter.shape for name, parameter in model.named_parameters()}
    for module in model.modules():
        for name, buffer in module.named_buffers(recurse=False):
            setattr(module, name, buffer.to(dtype) if buffer.is_floating_point() else buffer)
    if device.type != "cpu":
        exchanged(model, Arithmetic(dtype), ON_GPU)
    mesh = world.mesh(device)
    policy = MixedPrecisionPolicy(param_dtype=dtype, reduce_dtype=torch.float32)
    loss = Loss(model.train(), smoothing)
    for layer in model.modules():
        if isinstance(layer, LAYERS):
            fully_shard(layer, mesh=mesh, mp_policy=policy)
    fully_shard(loss, mesh=mesh, mp_policy=policy)
    for module in loss.modules():
        if isinstance(module, FSDPModule):  # gradients are added up; the optimizer divides by the target tokens
            module.set_gradient_divide_factor(1.0)
            module.set_force_sum_reduction_for_comms(True)
    return loss, Shards(world, mesh, shapes)


def _begin_alike(model: nn.Module, world: ProcessGroup) -> None:
    """Gives all processes the weights of process 0, one after the other: two whole models may not fit the memory."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(world.broadcast_tensors({name: parameter})[name])
