"""The arithmetic of one cell of an attention: q·k term by term, the scale, the mask, the softmax.

Shapes: Tk keys, d_k the size of a query and a key.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.inspection.tensors import Tensors, UnknownPart


def cell(tensors: Tensors, site: str, layer: int, head: int, i: int, j: int) -> dict[str, Any]:
    """How query i came to give key j its weight: α_ij = exp(s_ij − max) / Σ_j′ exp(s_ij′ − max), s = q·k/√d_k.

    `row` holds all scaled scores of the query, None where it may not look; a masked cell's exponent is 0.
    Raises UnknownPart for an attention, a head or a cell that isn't there.
    """
    weights = tensors.get(f"{site}.weights", layer, head)
    if not (0 <= i < weights.shape[0] and 0 <= j < weights.shape[1]):
        rows, columns = weights.shape
        raise UnknownPart(f"there is no cell ({i}, {j}): {site} has {rows} × {columns}, counted from 0")
    q = tensors.get(f"{site}.q", layer, head)[i].astype(np.float64)
    keys = tensors.get(f"{site}.k", layer, head).astype(np.float64)
    visible: NDArray[np.bool_] = tensors.get(f"{site}.mask", layer, head)[i]
    scale = tensors.scales[site]
    scaled = keys @ q / scale
    maximum = float(scaled[visible].max()) if visible.any() else None
    exponents = np.where(visible, np.exp(scaled - (maximum or 0.0), where=visible, out=np.zeros_like(scaled)), 0.0)
    return {
        "q": q.tolist(),
        "k": keys[j].tolist(),
        "products": (q * keys[j]).tolist(),
        "sum": float(q @ keys[j]),
        "scale": scale,
        "scaled": float(scaled[j]),
        "masked": not bool(visible[j]),
        "row": [float(score) if seen else None for score, seen in zip(scaled, visible, strict=True)],
        "maximum": maximum,
        "denominator": float(exponents.sum()),
        "exponent": float(exponents[j]),
        "weight": float(weights[i, j]),
    }
