"""Notices training that has gone wrong."""

import math


class LossWatch:
    """Watches the loss: where it is no number, or rises far above what it has been, the weights are being ruined."""

    def __init__(self, vocabulary_size: int, window: float = 0.95, tolerance: float = 2.0) -> None:
        self._ceiling = math.log(vocabulary_size)
        self._window = window
        self._tolerance = tolerance
        self._mean: float | None = None
        self._lowest = math.inf

    def problem(self, loss: float, gradient_norm: float) -> str | None:
        """loss: nats a token of one update → what is wrong, or None.

        The loss has exploded where its running mean is `tolerance` nats above its lowest value and above the loss of
        guessing all words of the vocabulary alike.
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
