"""LayerNorm of bfloat16, computed in float32, and its gradients in one pass over the rows.

Shapes: N rows of D numbers. y = gain · (x - mean) · inverse + bias, inverse being 1 / √(variance + ε).
"""

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.numbers.bfloat16 import Halves, rounded, widened
from polyhead.kernels.numbers.formats import round_all

Floats = NDArray[np.float32]


@kernel
def normalise(
    x: Halves, gain: Halves, bias: Halves, epsilon: float, y: Halves, means: Floats, inverses: Floats
) -> None:
    """x [N, D], gain and bias [D] → y [N, D], means [N] and inverses [N]."""
    width = x.shape[1]
    row, share = np.empty(width, np.float32), np.float32(1 / width)
    gains, biases = _widened(gain), _widened(bias)
    for n in range(x.shape[0]):
        given, out = x[n], y[n]
        total, squares = np.float32(0), np.float32(0)
        for d in range(width):
            row[d] = widened(given[d])
            total += row[d]
        mean = total * share
        for d in range(width):
            row[d] -= mean
            squares += row[d] * row[d]
        inverse = np.float32(1 / np.sqrt(squares * share + np.float32(epsilon)))
        for d in range(width):
            out[d] = rounded(gains[d] * (row[d] * inverse) + biases[d])
        means[n], inverses[n] = mean, inverse


@kernel
def differentiate(
    d_y: Halves,
    x: Halves,
    means: Floats,
    inverses: Floats,
    gain: Halves,
    d_x: Halves,
    d_gain: Halves,
    d_bias: Halves,
) -> None:
    """d_y [N, D] and what `normalise` gave → d_x [N, D], d_gain [D] and d_bias [D], added up in float32."""
    width = x.shape[1]
    share = np.float32(1 / width)
    normal, pulled = np.empty(width, np.float32), np.empty(width, np.float32)
    gains, of_gain, of_bias = _widened(gain), np.zeros(width, np.float32), np.zeros(width, np.float32)
    for n in range(x.shape[0]):
        given, gradient, out = x[n], d_y[n], d_x[n]
        mean, inverse = means[n], inverses[n]
        total, along = np.float32(0), np.float32(0)
        for d in range(width):
            g, z = widened(gradient[d]), (widened(given[d]) - mean) * inverse
            of_gain[d] += g * z
            of_bias[d] += g
            normal[d], pulled[d] = z, g * gains[d]
            total += pulled[d]
            along += pulled[d] * z
        total, along = total * share, along * share
        for d in range(width):
            out[d] = rounded(inverse * (pulled[d] - total - normal[d] * along))
    round_all(of_gain, d_gain)
    round_all(of_bias, d_bias)


@kernel
def _widened(x: Halves) -> Floats:
    wide = np.empty(x.shape[0], np.float32)
    for d in range(x.shape[0]):
        wide[d] = widened(x[d])
    return wide
