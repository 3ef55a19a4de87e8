"""The arrays of a trace by name, layer and head: those that were noted, and those that follow from them.

Shapes, of one layer: H heads, Tq queries, Tk keys, d_k, D d_model. Without a layer they are stacked, layers first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from polyhead.errors import PolyheadError
from polyhead.inspection.names import Array, Place

BY_HEAD: dict[str, tuple[str, ...]] = {
    "q": ("query", "d_k"),
    "k": ("key", "d_k"),
    "v": ("key", "d_v"),
    "scores": ("query", "key"),
    "scaled": ("query", "key"),
    "mask": ("query", "key"),
    "weights": ("query", "key"),
    "context": ("query", "d_v"),
    "value_norms": ("key",),
    "weighted_norms": ("query", "key"),
}
"""A tensor that has heads → the axes of one head. In a mask True means that the query may see the key."""
WHOLE: dict[str, tuple[str, ...]] = {
    "embedding": ("position", "d_model"),
    "position": ("position", "d_model"),
    "input": ("position", "d_model"),
    "concat": ("position", "d_model"),
    "hidden": ("position", "d_ff"),
    "output": ("position", "d_model"),
    "residual": ("position", "d_model"),
    "norm": ("position", "d_model"),
    "norm_mean": ("position",),
    "norm_std": ("position",),
}
"""A tensor that has no heads → its axes."""
ORDER = (*BY_HEAD, *WHOLE)


class UnknownPart(PolyheadError, LookupError):
    """A name, layer, head or place that the trace doesn't have; the message says which there are."""


@dataclass(frozen=True)
class Tensors:
    """All arrays of a trace. Those that follow from noted ones are computed when they are asked for."""

    noted: Mapping[Place, Array]
    scales: Mapping[str, float]
    """Site → what its scores are divided by before the softmax."""

    @cached_property
    def layers(self) -> dict[str, int | None]:
        """Tensor → how many layers have it, None where it belongs to no layer; in the order of the computation."""
        found: dict[str, int | None] = {}
        for name, layer in self.noted:
            found[name] = None if layer is None else max(layer + 1, found.get(name) or 0)
        for site in self.scales:
            found |= {f"{site}.{last}": found[f"{site}.weights"] for last in ("scores", "scaled")}
            if f"{site}.concat" in found:
                found |= {f"{site}.{last}": found[f"{site}.weights"] for last in ("context", "weighted_norms")}
        return dict(sorted(found.items(), key=_place_in_order))

    @property
    def nbytes(self) -> int:
        """The memory that the arrays take."""
        return sum(array.nbytes for array in self.noted.values())

    def get(self, name: str, layer: int | None = None, head: int | None = None) -> Array:
        """The array called `name`, of one layer and head or of all stacked.

        Raises UnknownPart, which names the parts that there are.
        """
        if name not in self.layers:
            raise UnknownPart(f"there is no tensor {name}; there are {', '.join(self.layers)}")
        count = self.layers[name]
        if layer is None:
            array = self._of(name, None) if count is None else np.stack([self._of(name, n) for n in range(count)])
        elif not 0 <= layer < (count or 0):
            raise UnknownPart(f"{name} has no layer {layer}: it has {count or 'none'}, counted from 0")
        else:
            array = self._of(name, layer)
        if head is None:
            return array
        axis = int(layer is None)
        if _last(name) not in BY_HEAD or not 0 <= head < array.shape[axis]:
            heads = array.shape[axis] if _last(name) in BY_HEAD else "none"
            raise UnknownPart(f"{name} has no head {head}: it has {heads}, counted from 0")
        return array.take(head, axis)

    def index(self) -> list[dict[str, Any]]:
        """Every tensor's name, layers, heads, shape and axes of one head of one layer, least and largest value."""
        return [self._entry(name, count) for name, count in self.layers.items()]

    def _entry(self, name: str, count: int | None) -> dict[str, Any]:
        arrays = [self._of(name, layer) for layer in ([None] if count is None else range(count))]
        by_head = _last(name) in BY_HEAD
        return {
            "name": name,
            "layers": count,
            "heads": arrays[0].shape[0] if by_head else None,
            "shape": list(arrays[0].shape[by_head:]),
            "axes": list((BY_HEAD if by_head else WHOLE)[_last(name)]),
            "min": min(float(array.min()) for array in arrays),
            "max": max(float(array.max()) for array in arrays),
        }

    def _of(self, name: str, layer: int | None) -> Array:
        """The array called `name` of one layer, with all heads."""
        site, last = name.rsplit(".", 1)
        match last:
            case "scores":
                return self.noted[f"{site}.q", layer] @ self.noted[f"{site}.k", layer].swapaxes(-1, -2)
            case "scaled":
                return self._of(f"{site}.scores", layer) / np.float32(self.scales[site])
            case "mask":
                seen = self.noted[name, layer]
                return np.broadcast_to(seen, (len(self.noted[f"{site}.q", layer]), *seen.shape))
            case "context":
                concat = self.noted[f"{site}.concat", layer]
                heads = len(self.noted[f"{site}.q", layer])
                return concat.reshape(len(concat), heads, -1).swapaxes(0, 1)
            case "weighted_norms":
                norms: Array = self.noted[f"{site}.value_norms", layer]
                return self.noted[f"{site}.weights", layer] * norms[:, None, :]
            case _:
                return self.noted[name, layer]


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _place_in_order(entry: tuple[str, int | None]) -> tuple[int, int]:
    """Encoder before decoder, embedding before attentions before the feed-forward network; then as in `ORDER`."""
    site, last = entry[0].rsplit(".", 1)
    stages = ("encoder", "encoder.self", "encoder.ffn", "decoder", "decoder.self", "decoder.cross", "decoder.ffn")
    return stages.index(site), ORDER.index(last)
