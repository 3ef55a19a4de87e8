"""The second ancestor: at every step the decoder looks back at all encoder states by dot-product attention.

Luong et al. 2015, section 3.1 (global attention, dot). K = V = h_1 … h_n, Q = s_t.
Shapes: B batch, S source, T target, D d_model, H hidden size, V vocabulary.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from polyhead.model.attention import ScaledDotProductAttention
from polyhead.model.config import RNNAttentionConfig
from polyhead.model.dropout import Dropout
from polyhead.model.embedding import Embedding
from polyhead.model.masks import padding_mask
from polyhead.model.recurrence import Bridge, Hidden, Recurrence, RecurrentEncoder, embeddings, initialise
from polyhead.model.seq2seq import OutputLayer, Seq2SeqModel
from polyhead.model.state import Memory


class DotProductAttention(nn.Module):
    """a_t = Σ_i softmax_i(s_t · h_i) h_i: one head, nothing to learn.

    `core` computes equation 1 of Vaswani et al. 2017 and may be exchanged from outside (a recorder does).
    """

    def __init__(self) -> None:
        super().__init__()
        self.core: nn.Module = ScaledDotProductAttention()

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """query s [B, T, H], memory h [B, S, H], mask [B, 1, 1, S] → contexts a [B, T, H]."""
        # the core divides by √d_k, which came with the Transformer; here the scores are the plain dot products
        scaled = query[:, None] * math.sqrt(query.size(-1))
        context: Tensor = self.core(scaled, memory[:, None], memory[:, None], mask)
        return context[:, 0]


@dataclass(frozen=True)
class AttentiveState:
    """The decoder after some tokens: its hidden state, and the encoder states that it looks at."""

    hidden: Hidden
    memory: Tensor
    """The encoder states h_1 … h_n [B, S, H]."""
    mask: Tensor
    """[B, 1, 1, S] bool, True at real tokens."""

    def select(self, rows: Tensor) -> "AttentiveState":
        """rows [R] int64 → the state of those rows."""
        return AttentiveState(tuple(part[:, rows] for part in self.hidden), self.memory[rows], self.mask[rows])


class RNNAttention(Seq2SeqModel[AttentiveState]):
    """An RNN encoder-decoder: the decoder's hidden state is the query, encoder states are keys and values."""

    alignment_site = "cross_attention"

    def __init__(self, config: RNNAttentionConfig, source: Embedding, target: Embedding, output: OutputLayer) -> None:
        super().__init__()
        self.source_embedding = source
        self.target_embedding = target
        self.encoder = RecurrentEncoder(config)
        self.bridge = Bridge(config)
        self.decoder = Recurrence(config, config.hidden_size, bidirectional=False)
        self.cross_attention = DotProductAttention()
        self.combine = nn.Linear(2 * config.hidden_size, config.d_model)
        self.dropout = Dropout(config.dropout)
        self.output = output

    @property
    def output_layer(self) -> OutputLayer:
        """The map from features [.., D] to logits [.., V]."""
        return self.output

    def encode(self, source: Tensor, source_mask: Tensor) -> Memory:
        """source, source_mask [B, S], padded on the right → h_1 … h_n [B, S, H] and the final hidden state."""
        states, summary = self.encoder(self.source_embedding(source), source_mask)
        return Memory(states, source_mask, summary)

    def decode(self, target_in: Tensor, memory: Memory) -> Tensor:
        """target_in [B, T] int64 → features [B, T, D]."""
        outputs, _ = self.decoder(self.target_embedding(target_in), self.bridge(memory.summary))
        return self._look_back(outputs, memory.states, padding_mask(memory.mask))

    def start(self, memory: Memory) -> AttentiveState:
        """The bridged final hidden state, beside the encoder states."""
        return AttentiveState(self.bridge(memory.summary), memory.states, padding_mask(memory.mask))

    def step(self, previous: Tensor, state: AttentiveState) -> tuple[Tensor, AttentiveState]:
        """previous [B] int64 → logits [B, V], next state."""
        outputs, hidden = self.decoder(self.target_embedding(previous[:, None]), state.hidden)
        features = self._look_back(outputs, state.memory, state.mask)
        return self.output(features[:, 0]), AttentiveState(hidden, state.memory, state.mask)

    def _look_back(self, outputs: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """s [B, T, H] → tanh(W_c [a ; s]) [B, T, D] (Luong et al. 2015, equation 5)."""
        context = self.cross_attention(outputs, memory, mask)
        return self.dropout(torch.tanh(self.combine(torch.cat([context, outputs], -1))))


def build_rnn_attention(config: RNNAttentionConfig, source_vocabulary: int, target_vocabulary: int) -> RNNAttention:
    """A freshly initialised model.

    Raises RecipeError where the sizes don't fit together.
    """
    source, target, output = embeddings(config, source_vocabulary, target_vocabulary)
    model = RNNAttention(config, source, target, output)
    initialise(model)
    return model
