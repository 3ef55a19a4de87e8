"""Notices training that has gone wrong."""

import math


class LossWatch:
    """A loss that is no number, or that rises far above what it has been, means the weights are being ruined."""

    def __init__(self, vocabulary_size: int, window: float = 0.95, tolerance: float = 2.0) -> None:
        self._ceiling = math.log(vocabulary_size)
        self._window = window
        self._tolerance = tolerance
        self._mean: float | None = None
        self._lowest = math.inf

    def problem(self, loss: float, gradient_norm: float) -> str | None:
        """loss: nats a token of one update → what is wrong, or None.

        Exploding is a running mean that is `tolerance` nats above its lowest and above what guessing evenly gives.
        """
        if not math.isfinite(loss):
            return f"the loss is {loss}"
        if not math.isfinite(gradient_norm):
            return f"the gradient's norm is {gradient_norm}"
        self._mean = loss if self._mean is None else self._window * self._mean + (1 - self._window) * loss
        self._lowest = min(self._lowest, self._mean)
        if self._mean > self._lowest + self._tolerance and self._mean > self._ceiling:
            return f"the loss exploded from {self._lowest:.2f} to {self._mean:.2f} nats a token"
        return None
