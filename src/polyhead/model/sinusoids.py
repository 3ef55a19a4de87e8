"""The paper's positional encoding, in NumPy: an engine without PyTorch adds the same numbers as the model."""

import numpy as np
from numpy.typing import NDArray


def sinusoids(length: int, d_model: int) -> NDArray[np.float32]:
    """PE(pos, 2i) = sin(pos / 10000^(2i/D)), PE(pos, 2i+1) = cos(the same) → [length, D] (section 3.5)."""
    position = np.arange(length, dtype=np.float64)[:, None]
    wavelength = 10000 ** (np.arange(0, d_model, 2, dtype=np.float64) / d_model)
    angle = position / wavelength
    encoding = np.empty((length, d_model), np.float32)
    encoding[:, 0::2] = np.sin(angle)
    encoding[:, 1::2] = np.cos(angle)[:, : d_model // 2]
    return encoding
