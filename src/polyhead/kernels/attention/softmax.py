"""Softmax over the keys that a query may see, of bfloat16 and with its gradient, computed in float32.

Shapes: B batch, H heads, T queries, S keys. A mask has as many of each as these, or 1.
"""

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.numbers.bfloat16 import Halves, rounded, widened
from polyhead.kernels.numbers.exponential import exponential

Mask = NDArray[np.bool_]
HIDDEN = np.float32(-1e38)


@kernel
def softmax(scores: Halves, scale: float, mask: Mask, weights: Halves) -> None:
    """scores [B, H, T, S], mask (S whole) → weights, those of scale · scores; where a query sees nothing, zeros."""
    batch, heads, queries, keys = scores.shape
    factor, row = np.float32(scale), np.empty(keys, np.float32)
    for b in range(batch):
        for h in range(heads):
            for t in range(queries):
                seen = mask[min(b, mask.shape[0] - 1), min(h, mask.shape[1] - 1), min(t, mask.shape[2] - 1)]
                given, out = scores[b, h, t], weights[b, h, t]
                largest, total = HIDDEN, np.float32(0)
                for s in range(keys):
                    row[s] = widened(given[s]) * factor if seen[s] else HIDDEN
                    largest = max(largest, row[s])
                for s in range(keys):
                    row[s] = exponential(row[s] - largest) if seen[s] else np.float32(0)
                    total += row[s]
                share = np.float32(1) / total if total > 0 else np.float32(0)
                for s in range(keys):
                    out[s] = rounded(row[s] * share)


@kernel
def differentiate(d_weights: Halves, weights: Halves, scale: float, d_scores: Halves) -> None:
    """d_weights and weights [N, S] → d_scores [N, S]."""
    factor = np.float32(scale)
    for n in range(weights.shape[0]):
        gradient, weight, out = d_weights[n], weights[n], d_scores[n]
        mean = np.float32(0)
        for s in range(weight.shape[0]):
            mean += widened(gradient[s]) * widened(weight[s])
        for s in range(weight.shape[0]):
            out[s] = rounded(factor * widened(weight[s]) * (widened(gradient[s]) - mean))
