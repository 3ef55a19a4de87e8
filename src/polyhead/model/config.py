"""Settings of every kind of model, and presets by name.

They stand apart from the modules, because they describe a model directory, and reading it must not load PyTorch.
"""

from typing import Annotated, Literal

from pydantic import Field

from polyhead.config import Config
from polyhead.limits import LONGEST, MOST_HEADS, MOST_LAYERS, MOST_RECURRENT_LAYERS, WIDEST, WIDEST_INSIDE


class TransformerConfig(Config):
    """The paper's base model unless said otherwise (table 3)."""

    kind: Literal["transformer"] = "transformer"
    encoder_layers: int = Field(6, ge=1, le=MOST_LAYERS)
    """N: layers of the encoder."""
    decoder_layers: int = Field(6, ge=1, le=MOST_LAYERS)
    """N: layers of the decoder; 1 or 2 under a deep encoder translate faster at nearly the same quality."""
    d_model: int = Field(512, ge=2, le=WIDEST)
    """d_model: the size of every layer's input and output."""
    d_ff: int = Field(2048, ge=1, le=WIDEST_INSIDE)
    """d_ff: the inner size of the feed-forward network."""
    num_heads: int = Field(8, ge=1, le=MOST_HEADS)
    """h: attention heads; d_k = d_v = d_model / h."""
    dropout: float = Field(0.1, ge=0, lt=1)
    """P_drop: dropout on the embeddings and on every sub-layer's output (section 5.4)."""
    attention_dropout: float = Field(0.0, ge=0, lt=1)
    """Dropout on the attention weights; 0 in the paper."""
    activation_dropout: float = Field(0.0, ge=0, lt=1)
    """Dropout inside the feed-forward network, after its activation; 0 in the paper."""
    norm: Literal["post", "pre"] = "post"
    """LN(x + Sublayer(x)) as in the paper, or x + Sublayer(LN(x))."""
    positions: Literal["sinusoidal", "sinusoidal-concat", "learned", "none"] = "sinusoidal"
    """PE: sinusoids added (the paper) or concatenated, learned vectors, or none."""
    activation: Literal["relu", "gelu", "swiglu"] = "relu"
    """The feed-forward network's non-linearity; max(0, ·) in the paper."""
    tie_embeddings: Literal["all", "output", "none"] = "all"
    """Which weights are one: source, target and output embedding (one shared vocabulary); target and output; none."""
    max_length: int = Field(1024, ge=2, le=LONGEST)
    """The longest source or target in tokens; max_length × d_model is at most 8,388,608."""

    @property
    def alignment_layer(self) -> int:
        """The decoder's layer whose cross-attention aligns best: the last but one (Garg et al. 2019, section 4.2)."""
        return max(0, self.decoder_layers - 2)


class RecurrentConfig(Config):
    """What both recurrent models share."""

    cell: Literal["lstm", "gru"] = "lstm"
    """LSTM (Hochreiter & Schmidhuber 1997) or GRU (Cho et al. 2014)."""
    d_model: int = Field(default=256, ge=1, le=WIDEST)
    """The size of the word embeddings; with word2vec vectors, the size of these."""
    hidden_size: int = Field(default=256, ge=1, le=WIDEST)
    """The size of the decoder's hidden state s_t and of each encoder state h_i, both directions together."""
    num_layers: int = Field(default=1, ge=1, le=MOST_RECURRENT_LAYERS)
    """Recurrent layers of the encoder and of the decoder."""
    bidirectional: bool = True
    """Whether the encoder also reads from right to left, half of `hidden_size` for each direction."""
    dropout: float = Field(default=0.3, ge=0, lt=1)
    """Dropout on embeddings, between layers and on the output, not on recurrent connections (Zaremba et al. 2014)."""
    tie_embeddings: Literal["all", "output", "none"] = "none"
    """Which weights are one: source, target and output embedding (one shared vocabulary); target and output; none."""
    max_length: int = Field(default=1024, ge=2, le=LONGEST)
    """The longest source in tokens; nothing in the network limits it."""


class RNNConfig(RecurrentConfig):
    """An RNN encoder-decoder without attention."""

    kind: Literal["rnn"] = "rnn"


class RNNAttentionConfig(RecurrentConfig):
    """An RNN encoder-decoder with dot-product attention."""

    kind: Literal["rnn-attention"] = "rnn-attention"


ModelConfig = Annotated[TransformerConfig | RNNConfig | RNNAttentionConfig, Field(discriminator="kind")]
CONFIGS: dict[str, type[Config]] = {
    "transformer": TransformerConfig,
    "rnn": RNNConfig,
    "rnn-attention": RNNAttentionConfig,
}
"""`model.kind` → its settings."""
PRESETS: dict[str, dict[str, int]] = {
    "mini": {"encoder_layers": 2, "decoder_layers": 2, "d_model": 128, "d_ff": 256, "num_heads": 4},
    "shallow": {"encoder_layers": 2, "decoder_layers": 2, "d_model": 256, "d_ff": 512, "num_heads": 4},
    "tiny": {"encoder_layers": 4, "decoder_layers": 4, "d_model": 128, "d_ff": 256, "num_heads": 4},
    "small": {"encoder_layers": 3, "decoder_layers": 3, "d_model": 256, "d_ff": 1024, "num_heads": 4},
    "base": {"encoder_layers": 6, "decoder_layers": 6, "d_model": 512, "d_ff": 2048, "num_heads": 8},
    "big": {"encoder_layers": 6, "decoder_layers": 6, "d_model": 1024, "d_ff": 4096, "num_heads": 16},
}
"""Sizes by name; `base` and `big` are the paper's (table 3)."""
