"""The names and shapes of a Transformer's weights, as `model.safetensors` has them.

They tell whether a file fits its settings before any module is made. Tied weights stand once, by the first of their
names. Shapes: D d_model, F d_ff, L max_length, V vocabulary.
"""

from collections.abc import Iterator, Sequence

from polyhead.errors import RecipeError
from polyhead.limits import LARGEST_TABLE
from polyhead.model.config import TransformerConfig

Shape = tuple[int, ...]
TIED = {
    "output.weight": "target_embedding.tokens.weight",
    "target_embedding.tokens.weight": "source_embedding.tokens.weight",
}
"""Name of a weight → the name by which it stands where it is tied and has no memory of its own."""


STACKS = {"encoder": ("self_attention",), "decoder": ("self_attention", "cross_attention")}
"""The attentions in each layer of a stack, in their order."""


def transformer_shapes(config: TransformerConfig, source_vocabulary: int, target_vocabulary: int) -> dict[str, Shape]:
    """Name and shape of every weight of a Transformer. Raises RecipeError where the sizes don't fit together."""
    check_sizes(config, source_vocabulary, target_vocabulary)
    size, tied = config.d_model, config.tie_embeddings
    found = _positions(config, "source_embedding") | _positions(config, "target_embedding")
    found["source_embedding.tokens.weight"] = source_vocabulary, size
    if tied != "all":
        found["target_embedding.tokens.weight"] = target_vocabulary, size
    if tied == "none":
        found["output.weight"] = target_vocabulary, size
    for stack, attentions in STACKS.items():
        for layer in layers_of(config, stack):
            found |= _layer(config, layer, attentions)
        if config.norm == "pre":
            found |= _map(f"{stack}.norm", size)
    return found


def _positions(config: TransformerConfig, embedding: str) -> dict[str, Shape]:
    match config.positions:
        case "learned":
            return {f"{embedding}.positions.encoding": (config.max_length, config.d_model)}
        case "sinusoidal-concat":
            return _map(f"{embedding}.positions.merge", config.d_model, 2 * config.d_model)
        case _:
            return {}


def _layer(config: TransformerConfig, layer: str, attentions: Sequence[str]) -> dict[str, Shape]:
    size, inner = config.d_model, config.d_ff * (2 if config.activation == "swiglu" else 1)
    found = _map(f"{layer}.feed_forward.inner", inner, size) | _map(f"{layer}.feed_forward.outer", size, config.d_ff)
    for attention in attentions:
        found |= _map(f"{layer}.{attention}.query_key_value", 3 * size, size)
        found |= _map(f"{layer}.{attention}.output", size, size)
    for part in (*attentions, "feed_forward"):
        found |= _map(f"{layer}.{part}_sublayer.norm", size)
    return found


def layers_of(config: TransformerConfig, stack: str) -> Iterator[str]:
    """The names of a stack's layers."""
    count = config.encoder_layers if stack == "encoder" else config.decoder_layers
    return (f"{stack}.layers.{number}" for number in range(count))


def check_sizes(config: TransformerConfig, source_vocabulary: int, target_vocabulary: int) -> None:
    """Raises RecipeError where the sizes don't fit together."""
    if config.d_model % config.num_heads:
        raise RecipeError(
            f"model.d_model = {config.d_model} is not divisible by model.num_heads = {config.num_heads}; "
            "every head takes an equal share of d_model"
        )
    if config.max_length * config.d_model > LARGEST_TABLE:
        raise RecipeError(
            f"model.max_length = {config.max_length} times model.d_model = {config.d_model} is more than "
            f"{LARGEST_TABLE:,}, the most numbers that a table of positions may have; make one of them smaller"
        )
    if config.tie_embeddings == "all" and source_vocabulary != target_vocabulary:
        raise RecipeError(
            f'model.tie_embeddings = "all" needs one shared vocabulary, but the source has {source_vocabulary} and '
            f'the target {target_vocabulary} pieces; set tokenizer.shared = true or model.tie_embeddings = "output"'
        )


def _map(name: str, outputs: int, *inputs: int) -> dict[str, Shape]:
    return {f"{name}.weight": (outputs, *inputs), f"{name}.bias": (outputs,)}
