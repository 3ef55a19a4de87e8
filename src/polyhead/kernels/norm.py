"""LayerNorm of bfloat16, computed in float32, and its gradients in one pass over the rows.

Shapes: N rows of D numbers. y = gain · (x - mean) · inverse + bias, inverse being 1 / √(variance + ε).
"""

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.numbers.bfloat16 import BFloat16s, to_bfloat16, to_float32
from polyhead.kernels.numbers.formats import round_all

Floats = NDArray[np.float32]


@kernel
def layer_norm(
    x: BFloat16s, gain: BFloat16s, bias: BFloat16s, epsilon: float, y: BFloat16s, means: Floats, inverses: Floats
) -> None:
    """x [N, D], gain and bias [D] → y [N, D], means [N] and inverses [N]."""
    width = x.shape[1]
    row, share = np.empty(width, np.float32), np.float32(1 / width)
    gains, biases = _to_float32s(gain), _to_float32s(bias)
    for n in range(x.shape[0]):
        given, out = x[n], y[n]
        total, squares = np.float32(0), np.float32(0)
        for d in range(width):
            row[d] = to_float32(given[d])
            total += row[d]
        mean = total * share
        for d in range(width):
            row[d] -= mean
            squares += row[d] * row[d]
        inverse = np.float32(1 / np.sqrt(squares * share + np.float32(epsilon)))
        for d in range(width):
            out[d] = to_bfloat16(gains[d] * (row[d] * inverse) + biases[d])
        means[n], inverses[n] = mean, inverse


@kernel
def layer_norm_backward(
    d_y: BFloat16s,
    x: BFloat16s,
    means: Floats,
    inverses: Floats,
    gain: BFloat16s,
    d_x: BFloat16s,
    d_gain: BFloat16s,
    d_bias: BFloat16s,
) -> None:
    """d_y [N, D] and what `layer_norm` gave → d_x [N, D], d_gain [D] and d_bias [D], added up in float32."""
    width = x.shape[1]
    share = np.float32(1 / width)
    normal, pulled = np.empty(width, np.float32), np.empty(width, np.float32)
    gains, of_gain, of_bias = _to_float32s(gain), np.zeros(width, np.float32), np.zeros(width, np.float32)
    for n in range(x.shape[0]):
        given, gradient, out = x[n], d_y[n], d_x[n]
        mean, inverse = means[n], inverses[n]
        total, along = np.float32(0), np.float32(0)
        for d in range(width):
            g, z = to_float32(gradient[d]), (to_float32(given[d]) - mean) * inverse
            of_gain[d] += g * z
            of_bias[d] += g
            normal[d], pulled[d] = z, g * gains[d]
            total += pulled[d]
            along += pulled[d] * z
        total, along = total * share, along * share
        for d in range(width):
            out[d] = to_bfloat16(inverse * (pulled[d] - total - normal[d] * along))
    round_all(of_gain, d_gain)
    round_all(of_bias, d_bias)


@kernel
def _to_float32s(x: BFloat16s) -> Floats:
    wide = np.empty(x.shape[0], np.float32)
    for d in range(x.shape[0]):
        wide[d] = to_float32(x[d])
    return wide
