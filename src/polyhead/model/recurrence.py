"""What the recurrent models are made of: LSTM or GRU layers, an encoder of them, and the bridge to the decoder.

Shapes: B batch, S source, T target, L layers, D d_model (embeddings), H hidden size.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from polyhead.errors import RecipeError
from polyhead.model.config import RecurrentConfig
from polyhead.model.embedding import Embedding, token_embedding
from polyhead.model.positions import NoPosition
from polyhead.model.seq2seq import OutputLayer

Hidden: TypeAlias = tuple[Tensor, ...]
"""A recurrent network's state, each part [L, B, H]: (h, c) of an LSTM, (h,) of a GRU."""


def parts_of(config: RecurrentConfig) -> int:
    """How many tensors a hidden state has."""
    return 2 if config.cell == "lstm" else 1


class Recurrence(nn.Module):
    """LSTM or GRU layers behind one interface."""

    def __init__(self, config: RecurrentConfig, hidden_size: int, bidirectional: bool) -> None:
        super().__init__()
        kind = nn.LSTM if config.cell == "lstm" else nn.GRU
        self.parts = parts_of(config)
        between = config.dropout if config.num_layers > 1 else 0.0
        self.layers = kind(
            config.d_model,
            hidden_size,
            config.num_layers,
            batch_first=True,
            dropout=between,
            bidirectional=bidirectional,
        )

    def forward(self, x: Tensor, hidden: Hidden) -> tuple[Tensor, Hidden]:
        """x [B, T, D], hidden → outputs [B, T, H], hidden after the last position."""
        outputs, after = self.layers(x, hidden if self.parts > 1 else hidden[0])
        return outputs, self._hidden(after)

    def read(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Hidden]:
        """x [B, S, D], mask [B, S], real tokens on the left → outputs [B, S, H], hidden after each row's last token.

        Padding is never read: not by the backward direction either, which begins at the last real token. A row without
        any real token gives zeros.
        """
        lengths = mask.sum(1)
        packed = pack_padded_sequence(x, lengths.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False)
        packed_outputs, after = self.layers(packed)
        outputs, _ = pad_packed_sequence(packed_outputs, batch_first=True, total_length=x.size(1))
        empty = (lengths == 0)[:, None]
        hidden = tuple(part.masked_fill(empty, 0.0) for part in self._hidden(after))
        return outputs.masked_fill(empty[:, None], 0.0), hidden

    def _hidden(self, after: Any) -> Hidden:
        """An LSTM's pair (h, c), or a GRU's h alone, as a tuple."""
        return cast("Hidden", after) if self.parts > 1 else (after,)


class RecurrentEncoder(nn.Module):
    """Embeddings read by LSTM or GRU layers, in one direction or both (Schuster & Paliwal 1997)."""

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.directions = 2 if config.bidirectional else 1
        if config.hidden_size % self.directions:
            raise RecipeError(
                f"model.hidden_size = {config.hidden_size} is odd, but a bidirectional encoder gives each direction "
                "half of it; make it even or set model.bidirectional = false"
            )
        self.recurrence = Recurrence(config, config.hidden_size // self.directions, config.bidirectional)

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Hidden]:
        """x [B, S, D], mask [B, S] → h_1 … h_n [B, S, H], final hidden state, each part [L, B, H]."""
        outputs, after = self.recurrence.read(x, mask)
        # nn.LSTM stacks a layer's two directions, [L · directions, B, H / directions]; here they are one state
        return outputs, tuple(
            torch.cat([part[direction :: self.directions] for direction in range(self.directions)], -1)
            for part in after
        )


class Bridge(nn.Module):
    """The encoder's final hidden state → the decoder's initial one.

    The state as it is (Sutskever et al. 2014, section 2), or tanh(W x + b) where two directions meet (Bahdanau et al.
    2015, appendix A.2.2).
    """

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        parts = parts_of(config) if config.bidirectional else 0
        self.linears = nn.ModuleList(nn.Linear(config.hidden_size, config.hidden_size) for _ in range(parts))

    def forward(self, final: Hidden) -> Hidden:
        """The encoder's final state, each part [L, B, H] → the decoder's initial state, of the same shapes."""
        if not self.linears:
            return final
        return tuple(torch.tanh(linear(part)) for linear, part in zip(self.linears, final, strict=True))


@dataclass(frozen=True)
class RecurrentState:
    """The decoder after some tokens: its hidden state."""

    hidden: Hidden

    def select(self, rows: Tensor) -> "RecurrentState":
        """rows [R] int64 → the state of those rows."""
        return RecurrentState(tuple(part[:, rows] for part in self.hidden))


def embeddings(
    config: RecurrentConfig, source_vocabulary: int, target_vocabulary: int
) -> tuple[Embedding, Embedding, OutputLayer]:
    """Source embedding, target embedding and output layer [V, D], tied as the config says.

    Raises RecipeError if all three are to be one but the vocabularies differ.
    """
    if config.tie_embeddings == "all" and source_vocabulary != target_vocabulary:
        raise RecipeError(
            f'model.tie_embeddings = "all" needs one shared vocabulary, but the source has {source_vocabulary} and '
            f'the target {target_vocabulary} pieces; set tokenizer.shared = true or model.tie_embeddings = "output"'
        )
    source = token_embedding(source_vocabulary, config.d_model)
    target = source if config.tie_embeddings == "all" else token_embedding(target_vocabulary, config.d_model)
    output = target if config.tie_embeddings != "none" else token_embedding(target_vocabulary, config.d_model)
    nowhere = NoPosition(config.d_model, config.max_length)
    return (
        Embedding(source, nowhere, config.dropout),
        Embedding(target, nowhere, config.dropout),
        OutputLayer(cast("nn.Parameter", output.weight)),
    )


def initialise(model: nn.Module) -> None:
    """Glorot's uniform for linear maps and inputs, orthogonal recurrent maps, zero biases, an LSTM's forget gate at 1.

    (Saxe et al. 2014; Jozefowicz et al. 2015, section 2.2.) Embeddings have their own scale already.
    """
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            nn.init.zeros_(module.bias)
        elif isinstance(module, nn.LSTM | nn.GRU):
            _initialise_recurrent(module)


def _initialise_recurrent(layers: nn.LSTM | nn.GRU) -> None:
    size = layers.hidden_size
    for name, parameter in layers.named_parameters():
        if name.startswith("weight"):
            begin = nn.init.orthogonal_ if name.startswith("weight_hh") else nn.init.xavier_uniform_
            for gate in range(0, parameter.size(0), size):
                begin(parameter.detach()[gate : gate + size])
        else:
            nn.init.zeros_(parameter)
            if isinstance(layers, nn.LSTM) and name.startswith("bias_ih"):
                nn.init.ones_(parameter.detach()[size : 2 * size])  # the gates lie in the order i, f, g, o
