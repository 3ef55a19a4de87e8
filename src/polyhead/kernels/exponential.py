"""e^x."""

from typing import Any

import numpy as np

from polyhead.kernels.compile import kernel

LOG2_E = np.float32(1.4426950408889634)
POWERS = tuple(map(np.float32, (1.5403530e-4, 1.3333558e-3, 9.6181291e-3, 5.5504109e-2, 2.4022651e-1, 6.9314718e-1, 1)))
"""2^f for f from -½ to ½ is the polynomial with these coefficients, the highest power's first."""


@kernel
def exponential(x: Any) -> Any:
    """e^x for x ≤ 0 within two units of float32's last place, so that a loop over it is vectorised: 2^n · 2^f."""
    y = max(x * LOG2_E, np.float32(-126))
    n = np.floor(y + np.float32(0.5))
    f = y - n
    power = POWERS[0]
    for coefficient in POWERS[1:]:
        power = power * f + coefficient
    exponent = np.int32((np.int32(n) + np.int32(127)) << np.int32(23))
    return power * exponent.view(np.float32)
