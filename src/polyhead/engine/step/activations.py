"""What a feed-forward network does between its two maps. A ReLU is not here: the first map cuts its outputs off.

Shapes: R rows, F numbers of the inner layer.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.numbers.exponential import exp

Floats = NDArray[np.float32]
_ROOT = np.float32(0.5**0.5)
_STEEP = np.float32(0.3275911)
_SERIES = tuple(map(np.float32, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))


@kernel
def error_function(x: Any) -> Any:
    """erf x, wrong by 2·10⁻⁷ at most (Abramowitz & Stegun, 7.1.26), so that a loop over it is vectorised."""
    size = abs(x)
    t = np.float32(1) / (np.float32(1) + _STEEP * size)
    series = _SERIES[0]
    for coefficient in _SERIES[1:]:
        series = series * t + coefficient
    found = np.float32(1) - series * t * exp(-size * size)
    return found if x >= 0 else -found


@kernel
def gelu(x: Floats) -> None:
    """GELU (Hendrycks & Gimpel 2016): x [R, F] becomes x Φ(x)."""
    for r in range(x.shape[0]):
        row = x[r]
        for f in range(x.shape[1]):
            row[f] = row[f] * (np.float32(0.5) + np.float32(0.5) * error_function(row[f] * _ROOT))


@kernel
def gate(x: Floats, y: Floats) -> None:
    """x [R, 2·F], gates before values → y [R, F] = SiLU(gate) ⊙ value (Shazeer 2020, equation 6)."""
    size = y.shape[1]
    for r in range(x.shape[0]):
        gates, values, out = x[r, :size], x[r, size:], y[r]
        for f in range(size):
            decay = exp(-abs(gates[f]))  # of 1 / (1 + e^-g) = e^g / (1 + e^g), the one without overflow
            share = (np.float32(1) if gates[f] >= 0 else decay) / (np.float32(1) + decay)
            out[f] = gates[f] * share * values[f]
