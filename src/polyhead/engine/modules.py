"""The settings and weights of a model that came as modules, if nobody has changed its parts since it was built."""

from collections.abc import Iterator
from typing import Any, cast

from torch import nn

from polyhead.model.dropout import Dropout
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.model.trained import TransformerArrays, without_memory
from polyhead.model.transformer import Transformer


def arrays_of(model: Seq2SeqModel[Any]) -> TransformerArrays | None:
    """The settings and weights of a Transformer on a CPU whose parts are those that its settings name; else None."""
    if type(model) is not Transformer or model.output.weight.device.type != "cpu" or not _is_as_built(model):
        return None
    arrays = {name: parameter.detach().float().numpy() for name, parameter in model.named_parameters()}
    return TransformerArrays(model.config, arrays)


def _is_as_built(model: Transformer) -> bool:
    """Whether every part is what `build_transformer` makes of the model's settings."""
    vocabularies = len(model.source_embedding.tokens.weight), len(model.output.weight)
    built = without_memory(model.config, *vocabularies)
    return _parts(model) == _parts(built) and _weights(model) == _weights(built)


def _parts(model: nn.Module) -> dict[str, tuple[type[nn.Module], dict[str, Any]]]:
    """The parts of a model by their names; a part that stands in two places has two."""
    named = cast("Iterator[tuple[str, nn.Module]]", model.named_modules(remove_duplicate=False))
    return {name: _part(module) for name, module in named}


def _weights(model: nn.Module) -> dict[str, tuple[int, ...]]:
    """The shapes of a model's weights by their names; a weight that two parts share is named once."""
    return {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}


def _part(module: nn.Module) -> tuple[type[nn.Module], dict[str, Any]]:
    """The class of a part, and its settings except those that matter in training alone."""
    if isinstance(module, Dropout):
        return type(module), {}
    settings = {name: value for name, value in vars(module).items() if not name.startswith("_") and name != "training"}
    return type(module), settings
