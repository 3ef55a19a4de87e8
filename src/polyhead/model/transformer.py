"""The Transformer (Vaswani et al. 2017), its settings and its presets."""

from dataclasses import dataclass
from typing import cast

from torch import Tensor, nn

from polyhead.model.attention import MultiHeadAttention
from polyhead.model.config import TransformerConfig
from polyhead.model.decoder import Decoder, DecoderLayer, LayerCache
from polyhead.model.embedding import Embedding, token_embedding
from polyhead.model.encoder import Encoder, EncoderLayer
from polyhead.model.feed_forward import FEED_FORWARDS
from polyhead.model.masks import look_ahead_mask, padding_mask
from polyhead.model.positions import POSITIONS
from polyhead.model.seq2seq import OutputLayer, Seq2SeqModel
from polyhead.model.shapes import check_sizes
from polyhead.model.state import Memory
from polyhead.model.sublayer import SUBLAYERS, final_norm


@dataclass(frozen=True)
class TransformerState:
    """The decoder after `length` tokens: a cache for every layer, and which tokens of the memory are real."""

    caches: tuple[LayerCache, ...]
    memory_mask: Tensor
    """[B, 1, 1, S] bool, True at real tokens."""
    length: int

    def select(self, rows: Tensor) -> "TransformerState":
        """rows [R] int64 → the state of those rows."""
        return TransformerState(tuple(cache.select(rows) for cache in self.caches), self.memory_mask[rows], self.length)


class Transformer(Seq2SeqModel[TransformerState]):
    """Figure 1 of the paper. B batch, S source, T target, D d_model, V vocabulary."""

    def __init__(
        self,
        config: TransformerConfig,
        source: Embedding,
        target: Embedding,
        encoder: Encoder,
        decoder: Decoder,
        output: OutputLayer,
    ) -> None:
        super().__init__()
        self.config = config
        self.source_embedding = source
        self.target_embedding = target
        self.encoder = encoder
        self.decoder = decoder
        self.output = output
        self.alignment_site = f"decoder.layers.{config.alignment_layer}.cross_attention"

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
    check_sizes(config, source_vocabulary, target_vocabulary)
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
        c,
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
