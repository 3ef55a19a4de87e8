"""What each head does, in numbers: where it looks, and how sharply (Voita et al. 2019; Clark et al. 2019).

Every score is a share between 0 and 1, a mean over the queries that have a choice: a query with one visible key, such
as the first of a masked self-attention, says nothing about its head.
Shapes: Tq queries, Tk keys.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.inspection.tensors import Tensors

Weights = NDArray[np.float64]
Seen = NDArray[np.bool_]

TELLING = 0.4
"""A head is named after a place that gets this share of its weight or more."""
EVEN = 0.9
"""A head with at least this share of the largest possible entropy is said to look at all keys alike."""


def find_heads(
    tensors: Tensors, site: str, content: NDArray[np.bool_], queries: int, sink: int
) -> list[dict[str, Any]]:
    """The scores of every head of one attention, layer by layer.

    content: [Tk], the keys that are words: no tag, `<sos>`, `<eos>` or `<pad>`. queries: how many rows are real.
    sink: the column of the token that a head without a task falls back on, `<eos>` or, in the decoder, `<sos>`.
    """
    found: list[dict[str, Any]] = []
    weights, mask = tensors.get(f"{site}.weights").astype(np.float64), tensors.get(f"{site}.mask")
    for layer, of_layer in enumerate(weights):
        for head, every in enumerate(of_layer):
            seen: Seen = mask[layer, head, :queries]
            scores = _scores(every[:queries], seen, content, sink, site == "decoder.cross")
            found.append({"site": site, "layer": layer, "head": head, "scores": scores, "label": _label(scores)})
    return found


def _scores(weights: Weights, seen: Seen, content: NDArray[np.bool_], sink: int, crossing: bool) -> dict[str, Any]:
    choice = seen.sum(1) > 1
    return {
        "diagonal": None if crossing else _beside(weights, choice, 0),
        "previous": None if crossing else _beside(weights, choice, -1),
        "next": None if crossing else _beside(weights, choice, 1),
        "eos": _mean(weights[choice, sink]),
        "alignment": _alignment(weights[:, content]) if crossing else None,
        "entropy": _evenness(weights[choice], seen[choice]),
    }


def _mean(values: Weights) -> float | None:
    return float(values.mean()) if values.size else None


def _beside(weights: Weights, choice: NDArray[np.bool_], offset: int) -> float | None:
    """The mean weight on the key that stands `offset` after the query, where there is one."""
    queries = np.flatnonzero(choice)
    queries = queries[(queries + offset >= 0) & (queries + offset < weights.shape[1])]
    return _mean(weights[queries, queries + offset])


def _alignment(weights: Weights) -> float | None:
    """How much a cross-attention is like a word alignment: sharp, and over all words.

    The mean over the queries of the largest weight on a word, times the share of words that are some query's favourite.
    """
    if not weights.size:
        return None
    favourites = np.unique(weights.argmax(1))
    return float(weights.max(1).mean()) * len(favourites) / min(weights.shape)


def _evenness(weights: Weights, seen: Seen) -> float | None:
    """The mean entropy of a row, as a share of the largest possible: 0 for one key alone, 1 for all keys alike."""
    if not weights.size:
        return None
    logarithms = np.log(weights, where=weights > 0, out=np.zeros_like(weights))
    return float((-(weights * logarithms).sum(1) / np.log(seen.sum(1))).mean())


def _label(scores: dict[str, Any]) -> str | None:
    """The name of the score that a head is named after; None where no score is high enough."""
    places = {name: share for name, share in scores.items() if name != "entropy" and share is not None}
    best = max(places, key=lambda name: places[name], default=None)
    if best is not None and places[best] >= TELLING:
        return best
    return "entropy" if (scores["entropy"] or 0.0) >= EVEN else None
