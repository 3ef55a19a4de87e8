"""The table of parts that are exchanged, and the one call that exchanges them."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

from torch import Tensor, nn

from polyhead.batch import Batch
from polyhead.model.attention import MultiHeadAttention, ScaledDotProductAttention
from polyhead.model.dropout import Dropout
from polyhead.model.feed_forward import FeedForward
from polyhead.model.linear import StackedLinear
from polyhead.model.recording import view_of
from polyhead.model.seq2seq import OutputLayer, Seq2SeqModel
from polyhead.model.sublayer import LayerNorm, PostNorm, PreNorm
from polyhead.model.transformer import Transformer
from polyhead.training.fused.attention import FusedMultiHeadAttention
from polyhead.training.fused.dropout import FusedDropout
from polyhead.training.fused.feed_forward import FusedFeedForward
from polyhead.training.fused.gpu import GPUAttention, projection_on_gpu
from polyhead.training.fused.linear import FusedLinear, FusedStackedLinear
from polyhead.training.fused.norm import FusedLayerNorm
from polyhead.training.fused.softmax_projection import projection_by_kernels
from polyhead.training.fused.sublayer import FusedPostNorm, FusedPreNorm
from polyhead.training.fused.transformer import FusedTransformer
from polyhead.training.precision import Arithmetic
from polyhead.training.softmax_projection import SoftmaxProjection, softmax_projection

Table = dict[type[nn.Module], Callable[[Any, Arithmetic], nn.Module]]
"""Class of a plain part → what makes the fused one of it. Subclasses are other classes, which stay as they are."""

ON_ONE_CORE: Table = {
    nn.Linear: FusedLinear,
    StackedLinear: FusedStackedLinear,
    Dropout: FusedDropout,
    LayerNorm: FusedLayerNorm.where_faster,
    PostNorm: FusedPostNorm,
    PreNorm: FusedPreNorm,
    FeedForward: FusedFeedForward.where_relu,
    MultiHeadAttention: FusedMultiHeadAttention.where_plain,
    Transformer: FusedTransformer,
}
"""The parts exchanged on a CPU whose cores each work on a share of the batch."""
ON_GPU: Table = {ScaledDotProductAttention: GPUAttention}
"""The parts exchanged on other devices, where PyTorch's own operations are the fastest."""
LOOKED_UP = nn.Embedding, OutputLayer
"""Parts with weights that need no kernel: embeddings are looked up, and the loss multiplies by the output layer."""


class Differentiable(Protocol):
    """What training needs of a model."""

    @property
    def output_layer(self) -> OutputLayer:
        """The map from features [.., D] to logits [.., V]."""
        ...

    def features(self, batch: Batch) -> Tensor:
        """Teacher forcing: the features [N, D] of the real target tokens, sentence by sentence."""
        ...


class Fused(NamedTuple):
    """A model as training runs it. Its parameters are the plain model's own."""

    model: Differentiable
    arithmetic: Arithmetic
    projection: SoftmaxProjection = softmax_projection
    """What computes the softmax over the vocabulary for the loss."""
    plain: tuple[str, ...] = ()
    """The classes of parts with weights that stay plain, as the table doesn't name them, where others are fused."""


def fuse(model: Seq2SeqModel[Any], arithmetic: Arithmetic, cores: int) -> Fused:
    """The model with its parts exchanged for faster ones.

    The given model stays as it is, but for being in training mode. Both have the same parameters, which must have the
    arithmetic's dtype already.
    cores: how many cores of a CPU an operation takes; with several, PyTorch's own operations are the faster ones
    """
    model.train()
    device = model.output_layer.weight.device.type
    if device != "cpu":
        return fuse_for_gpu(model, arithmetic)
    if cores > 1:
        return Fused(model, arithmetic)
    fused = exchanged(view_of(model), arithmetic, ON_ONE_CORE)
    return Fused(fused, arithmetic, partial(projection_by_kernels, arithmetic), tuple(sorted(_unknown(model))))


def fuse_for_gpu(model: Seq2SeqModel[Any], arithmetic: Arithmetic) -> Fused:
    """The model with parts exchanged for those that are fast on a GPU. They compute on any device, as tests need."""
    return Fused(exchanged(view_of(model), arithmetic, ON_GPU), arithmetic, projection_on_gpu)


def exchanged(module: Any, arithmetic: Arithmetic, table: Table) -> Any:
    """The module with its parts exchanged as a table says, children first: a part is made of exchanged parts."""
    for name, child in module.named_children():
        setattr(module, name, exchanged(child, arithmetic, table))
    kind: type[nn.Module] = type(module)
    make = table.get(kind)
    return module if make is None else make(module, arithmetic)


def _unknown(model: nn.Module) -> set[str]:
    """The classes of a plain model's parts with weights of their own that no table names."""
    parts = (part for part in model.modules() if any(True for _ in part.parameters(recurse=False)))
    return {type(part).__name__ for part in parts if type(part) not in (*ON_ONE_CORE, *LOOKED_UP)}
