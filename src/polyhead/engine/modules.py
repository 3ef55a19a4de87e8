"""What an engine can know of a model that came as modules: they may have been changed since they were made."""

from collections.abc import Sequence
from typing import Any, TypeGuard, cast

from torch import nn

from polyhead.engine.assemble import ACTIVATIONS, has_prepared_form
from polyhead.engine.ends import PLACED, Embedded, embedded, encoding_of
from polyhead.model.attention import MultiHeadAttention
from polyhead.model.config import TransformerConfig
from polyhead.model.embedding import Embedding
from polyhead.model.feed_forward import FeedForward, SwiGLU
from polyhead.model.positions import POSITIONS
from polyhead.model.sublayer import SUBLAYERS
from polyhead.model.trained import EPSILON, TransformerArrays
from polyhead.model.transformer import Transformer


def can_be_prepared(model: object) -> TypeGuard[Transformer]:
    """Whether it is a Transformer on a CPU of parts that this package's engines know."""
    if not isinstance(model, Transformer) or model.output.weight.device.type != "cpu":
        return False
    known = all(_positions(each.positions) for each in (model.source_embedding, model.target_embedding))
    return known and all(map(has_prepared_form, _layers(model)))


def arrays_of(model: object) -> TransformerArrays | None:
    """The settings and weights of one that `can_be_prepared`; None for others, and where its layers differ in kind."""
    if not can_be_prepared(model):
        return None
    layers = _layers(model)
    kinds = {(_activation(layer.feed_forward), _norm(layer)) for layer in layers}
    heads = {part.num_heads for part in model.modules() if isinstance(part, MultiHeadAttention)}
    epsilons = {part.eps for part in model.modules() if isinstance(part, nn.LayerNorm)}
    positions = {_positions(each.positions) for each in (model.source_embedding, model.target_embedding)}
    if any(len(each) > 1 for each in (kinds, heads, positions)) or epsilons != {EPSILON}:
        return None
    ((activation, norm),) = kinds
    if norm is None:
        return None
    config = TransformerConfig.model_validate(
        {
            "encoder_layers": len(model.encoder.layers),
            "decoder_layers": len(model.decoder.layers),
            "d_model": model.output.weight.size(1),
            "d_ff": layers[0].feed_forward.outer.in_features,
            "num_heads": heads.pop(),
            "norm": norm,
            "positions": positions.pop(),
            "activation": activation,
            "max_length": _longest(model.target_embedding.positions),
        }
    )
    arrays = {name: parameter.detach().float().numpy() for name, parameter in model.named_parameters()}
    return TransformerArrays(config, arrays)


def embedded_modules(embedding: Embedding) -> Embedded:
    """A trained embedding for tokens that stand anywhere. Raises TypeError for positions that are not known here."""
    kind = _positions(embedding.positions)
    if kind is None:
        raise TypeError(f"{type(embedding.positions).__name__} has no prepared form")
    size, length = embedding.tokens.embedding_dim, _longest(embedding.positions)
    config = TransformerConfig.model_validate(
        {"d_model": size, "num_heads": 1, "positions": kind, "max_length": length}
    )
    arrays = {f"target_embedding.{name}": weight.detach().numpy() for name, weight in embedding.named_parameters()}
    found = TransformerArrays(config, arrays)
    return embedded(found, "target_embedding", found["target_embedding.tokens.weight"], encoding_of(found.config))


def _layers(model: Transformer) -> Sequence[Any]:
    return cast("Sequence[Any]", [*model.encoder.layers, *model.decoder.layers])


def _activation(network: nn.Module) -> str:
    return "swiglu" if isinstance(network, SwiGLU) else ACTIVATIONS[cast("FeedForward", network).activation]


def _norm(layer: nn.Module) -> str | None:
    """As the settings call it; None where a layer's sub-layers differ."""
    kinds = {type(part) for name, part in layer.named_children() if name.endswith("_sublayer")}
    return next((name for name, kind in SUBLAYERS.items() if kinds == {kind}), None)


def _positions(module: nn.Module) -> str | None:
    """As the settings call them; None for those that are not known here."""
    return next((name for name, kind in POSITIONS.items() if type(module) is kind and name in PLACED), None)


def _longest(positions: Any) -> int:
    return len(positions.encoding) if hasattr(positions, "encoding") else positions.max_length
