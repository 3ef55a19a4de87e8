"""A trained model → what searches call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from polyhead.engine.choice import Choice, Trained, kernel_arrays
from polyhead.engine.kernel_engine import KernelEngine
from polyhead.engine.pack import Pack, pack_float32, pack_int8
from polyhead.engine.shared import shared_engine
from polyhead.files import Stamp
from polyhead.memory.huge_pages import large_pages
from polyhead.memory.weights_file import FilePages
from polyhead.model.trained import TransformerArrays

if TYPE_CHECKING:
    from polyhead.model.arrays import InArrays

PACKS: dict[str, Pack] = {"float32": pack_float32, "int8": pack_int8}


def prepare(
    model: Trained, choice: Choice, packed: Path | None = None, weights: Stamp | None = None
) -> KernelEngine | InArrays:
    """The model prepared as `choice` says, to be called with NumPy arrays; the plain engine is the model itself.

    The prepared form holds packed copies of the weights: what happens to the model later doesn't reach them. Where
    weights are pages of a file (`load_bundle`), those that only packing reads stay there and leave memory as soon as
    they are packed; what a search reads gets memory of its own, or with `packed`, a folder, memory that is shared with
    other processes that prepare the same file of weights there (`shared_engine`). Raises TypeError for arrays where the
    choice is the plain engine, and for a model that the engine of kernels doesn't know where it is the prepared one.
    """
    if choice.engine == "plain":
        return _plain(model)
    arrays = kernel_arrays(model, choice.dtype)
    if arrays is None:
        raise TypeError(f"the {choice} has no kernels for this model")
    file = FilePages.of(array.ctypes.data for array in arrays.arrays.values())

    def pack() -> KernelEngine:
        return KernelEngine(arrays, PACKS[choice.dtype], file.give_back)

    if packed is not None and weights is not None:
        return shared_engine(packed, f"{weights} {choice}", pack)
    with large_pages():
        return pack()


def _plain(model: Trained) -> InArrays:
    """The model itself, in eval mode, on whatever device; its weights get memory of their own."""
    from polyhead.model.arrays import InArrays

    if isinstance(model, TransformerArrays):
        raise TypeError(f"the {Choice('plain', 'float32')} needs the model as modules")
    FilePages.of(weight.data_ptr() for weight in model.parameters()).copy_out(model.parameters())
    return InArrays(model)
