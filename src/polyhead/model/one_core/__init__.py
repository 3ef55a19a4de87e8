"""What training does between the products, and to them, on one core: each in one pass over the memory.

Forward and backward are kernels. Operations of PyTorch would take a pass for every step and keep what lies between.
"""

from polyhead.model.one_core.attention import attends_in_rows, attention, attention_in_rows, softmax
from polyhead.model.one_core.dropout import DropoutMask, add_dropout, dropout
from polyhead.model.one_core.heads import heads_apart
from polyhead.model.one_core.linear import feed_forward, linear, own_products
from polyhead.model.one_core.norm import layer_norm
from polyhead.model.one_core.views import are_learnt_by_kernels, are_learnt_on_one_core

__all__ = [
    "DropoutMask",
    "add_dropout",
    "are_learnt_by_kernels",
    "are_learnt_on_one_core",
    "attends_in_rows",
    "attention",
    "attention_in_rows",
    "dropout",
    "feed_forward",
    "heads_apart",
    "layer_norm",
    "linear",
    "own_products",
    "softmax",
]
