"""The Transformer (Vaswani et al. 2017), its settings and its presets."""

from dataclasses import dataclass
from typing import Literal, cast

from pydantic import Field
from torch import Tensor, nn

from polyhead.config import Config
from polyhead.errors import RecipeError
from polyhead.model.attention import MultiHeadAttention
from polyhead.model.decoder import Decoder, DecoderLayer, LayerCache
from polyhead.model.embedding import Embedding, token_embedding
from polyhead.model.encoder import Encoder, EncoderLayer
from polyhead.model.feed_forward import FEED_FORWARDS
from polyhead.model.masks import look_ahead_mask, padding_mask
from polyhead.model.positions import POSITIONS
from polyhead.model.seq2seq import OutputLayer, Seq2SeqModel
from polyhead.model.state import Memory
from polyhead.model.sublayer import SUBLAYERS, final_norm


class TransformerConfig(Config):
    """The paper's base model unless said otherwise (table 3)."""

    kind: Literal["transformer"] = "transformer"
    encoder_layers: int = Field(6, ge=1)
    """N: layers of the encoder."""
    decoder_layers: int = Field(6, ge=1)
    """N: layers of the decoder; 1 or 2 under a deep encoder translate faster at nearly the same quality."""
    d_model: int = Field(512, ge=2)
    """d_model: the size of every layer's input and output."""
    d_ff: int = Field(2048, ge=1)
    """d_ff: the inner size of the feed-forward network."""
    num_heads: int = Field(8, ge=1)
    """h: attention heads; d_k = d_v = d_model / h."""
    dropout: float = Field(0.1, ge=0, lt=1)
    """P_drop: on the embeddings and on every sub-layer's output (section 5.4)."""
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
    max_length: int = Field(1024, ge=2)
    """The longest source or target in tokens."""


PRESETS: dict[str, dict[str, int]] = {
    "tiny": {"encoder_layers": 4, "decoder_layers": 4, "d_model": 128, "d_ff": 256, "num_heads": 4},
    "small": {"encoder_layers": 3, "decoder_layers": 3, "d_model": 256, "d_ff": 1024, "num_heads": 4},
    "base": {"encoder_layers": 6, "decoder_layers": 6, "d_model": 512, "d_ff": 2048, "num_heads": 8},
    "big": {"encoder_layers": 6, "decoder_layers": 6, "d_model": 1024, "d_ff": 4096, "num_heads": 16},
}
"""Sizes by name; `base` and `big` are the paper's (table 3)."""


@dataclass(frozen=True)
class TransformerState:
    """The decoder after `length` tokens: a cache for every layer, and which of the memory is real."""

    caches: tuple[LayerCache, ...]
    memory_mask: Tensor
    """[B, 1, 1, S] bool."""
    length: int

    def select(self, rows: Tensor) -> "TransformerState":
        """rows [R] int64 → the state of those rows."""
        return TransformerState(tuple(cache.select(rows) for cache in self.caches), self.memory_mask[rows], self.length)


class Transformer(Seq2SeqModel[TransformerState]):
    """Figure 1 of the paper. B batch, S source, T target, D d_model, V vocabulary."""

    def __init__(
        self, source: Embedding, target: Embedding, encoder: Encoder, decoder: Decoder, output: OutputLayer
    ) -> None:
        super().__init__()
        self.source_embedding = source
        self.target_embedding = target
        self.encoder = encoder
        self.decoder = decoder
        self.output = output
        # The last layer but one aligns best (Garg et al. 2019, section 4.2).
        self.alignment_site = f"decoder.layers.{max(0, len(decoder.layers) - 2)}.cross_attention"

    @property
    def output_layer(self) -> OutputLayer:
        return self.output

    def encode(self, source: Tensor, source_mask: Tensor) -> Memory:
        """source [B, S] int64, source_mask [B, S] bool → the encoder's last layer [B, S, D]."""
        states = self.encoder(self.source_embedding(source), padding_mask(source_mask))
        return Memory(states, source_mask)

    def decode(self, target_in: Tensor, memory: Memory) -> Tensor:
        """target_in [B, T] int64 → features [B, T, D], all positions at once."""
        look_ahead = look_ahead_mask(target_in.size(1), target_in.device)
        return self.decoder(self.target_embedding(target_in), memory.states, look_ahead, padding_mask(memory.mask))

    def start(self, memory: Memory) -> TransformerState:
        """The memory projected to every layer's keys and values once; no past."""
        return TransformerState(self.decoder.start(memory.states), padding_mask(memory.mask), 0)

    def step(self, previous: Tensor, state: TransformerState) -> tuple[Tensor, TransformerState]:
        """previous [B] int64, standing at position `state.length` → logits [B, V], the state one longer."""
        x = self.target_embedding(previous[:, None], start=state.length)
        x, caches = self.decoder.step(x, state.caches, state.memory_mask)
        return self.output(x[:, 0]), TransformerState(caches, state.memory_mask, state.length + 1)


def build_transformer(config: TransformerConfig, source_vocabulary: int, target_vocabulary: int) -> Transformer:
    """A freshly initialised Transformer.

    Raises RecipeError where the sizes don't fit together.
    """
    _check(config, source_vocabulary, target_vocabulary)
    c = config

    def attention() -> MultiHeadAttention:
        return MultiHeadAttention(c.d_model, c.num_heads, c.attention_dropout)

    def feed_forward() -> nn.Module:
        return FEED_FORWARDS[c.activation](c.d_model, c.d_ff, c.activation_dropout)

    def sublayer() -> nn.Module:
        return SUBLAYERS[c.norm](c.d_model, c.dropout)

    def embedding(tokens: nn.Embedding) -> Embedding:
        return Embedding(tokens, POSITIONS[c.positions](c.d_model, c.max_length), c.dropout)

    source_tokens = token_embedding(source_vocabulary, c.d_model)
    target_tokens = source_tokens if c.tie_embeddings == "all" else token_embedding(target_vocabulary, c.d_model)
    output = target_tokens if c.tie_embeddings != "none" else token_embedding(target_vocabulary, c.d_model)
    encoder = [EncoderLayer(attention(), feed_forward(), sublayer) for _ in range(c.encoder_layers)]
    decoder = [DecoderLayer(attention(), attention(), feed_forward(), sublayer) for _ in range(c.decoder_layers)]
    model = Transformer(
        embedding(source_tokens),
        embedding(target_tokens),
        Encoder(encoder, final_norm(c.norm, c.d_model)),
        Decoder(decoder, final_norm(c.norm, c.d_model)),
        OutputLayer(cast("nn.Parameter", output.weight)),
    )
    _initialise(model)
    return model


def _initialise(model: nn.Module) -> None:
    """Glorot's uniform for every linear map, zero for its bias; embeddings have their own scale already."""
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            nn.init.zeros_(module.bias)


def _check(config: TransformerConfig, source_vocabulary: int, target_vocabulary: int) -> None:
    if config.d_model % config.num_heads:
        raise RecipeError(
            f"model.d_model = {config.d_model} is not divisible by model.num_heads = {config.num_heads}; "
            "every head takes an equal share of d_model"
        )
    if config.tie_embeddings == "all" and source_vocabulary != target_vocabulary:
        raise RecipeError(
            f'model.tie_embeddings = "all" needs one shared vocabulary, but the source has {source_vocabulary} and '
            f'the target {target_vocabulary} pieces; set tokenizer.shared = true or model.tie_embeddings = "output"'
        )
