"""A trained model → what searches call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from polyhead.engine.choice import Choice, Trained, fused_arrays
from polyhead.engine.fused import FusedTransformer
from polyhead.engine.mapped import FilePages
from polyhead.engine.pack import Pack, pack_float32, pack_int8
from polyhead.engine.pages import large_pages
from polyhead.model.trained import TransformerArrays

if TYPE_CHECKING:
    from polyhead.model.arrays import InArrays

PACKS: dict[str, Pack] = {"float32": pack_float32, "int8": pack_int8}


def prepare(model: Trained, choice: Choice) -> FusedTransformer | InArrays:
    """The model prepared as `choose` says, for whoever has arrays; the plain engine is the model itself.

    The prepared form holds packed copies of the weights: what happens to the model later doesn't reach them. Where
    weights are pages of a file (`load_bundle`), those that only packing reads stay there and leave memory as soon as
    they are packed; what a search reads gets memory of its own. Raises TypeError for arrays where `needs_modules`.
    """
    arrays = fused_arrays(model, choice.dtype) if choice.engine == "prepared" else None
    if arrays is None:
        return _of_modules(model, choice)
    file = FilePages.of(array.ctypes.data for array in arrays.arrays.values())
    with large_pages():
        return FusedTransformer(arrays, PACKS[choice.dtype], file.give_back)


def _of_modules(model: Trained, choice: Choice) -> InArrays:
    """The engines of PyTorch's operations, which is loaded for them."""
    if isinstance(model, TransformerArrays):
        raise TypeError(f"the {choice} needs the model as modules")
    from polyhead.engine.prepare_modules import plain, prepared

    return plain(model) if choice.engine == "plain" else prepared(cast("Any", model), choice.dtype)
