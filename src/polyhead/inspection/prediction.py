"""What the model would write at every position: the output distribution, its entropy, and the rank of what was written.

Shapes: T target, V vocabulary.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.errors import PolyheadError
from polyhead.inspection.tensors import UnknownPart
from polyhead.tokenizers.protocol import Tokenizer


@dataclass(frozen=True)
class Prediction:
    """P(y_t | y_<t, X) for every t, and the tokens that were written there."""

    log_probabilities: NDArray[np.float32]
    """[T, V], log P of every token at every position, in nats."""
    written: NDArray[np.int64]
    """[T], the tokens that were written: y_1 … y_m, `<eos>`."""

    @cached_property
    def of_written(self) -> NDArray[np.float32]:
        """[T], log P of each written token, in nats."""
        return np.take_along_axis(self.log_probabilities, self.written[:, None], 1)[:, 0]

    @cached_property
    def entropy(self) -> NDArray[np.float64]:
        """[T], −Σ p log p in nats: 0 where the model is sure, ln V where it knows nothing."""
        exact = self.log_probabilities.astype(np.float64)
        p = np.exp(exact)
        # a token of probability 0 adds nothing, and its logarithm may be −∞
        return -np.where(p > 0, p * np.maximum(exact, -1e4), 0.0).sum(1)

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """[T], how many tokens are more probable than the written one."""
        return (self.log_probabilities > self.of_written[:, None]).sum(1)

    def top(self, t: int, k: int, tokenizer: Tokenizer) -> dict[str, Any]:
        """The k most probable tokens at position t, ties by the lower id, and probability and rank of the written one.

        Raises UnknownPart for a position beyond the target, PolyheadError for k < 1.
        """
        if not 0 <= t < len(self.written):
            raise UnknownPart(f"there is no position {t}: the target has {len(self.written)}, counted from 0")
        if k < 1:
            raise PolyheadError(f"k = {k}: ask for one candidate at least")
        row = self.log_probabilities[t].astype(np.float64)
        order = np.argsort(-row, kind="stable")[:k]
        pieces = tokenizer.pieces(order.tolist())
        candidates = [
            {"id": int(i), "piece": piece, "probability": float(np.exp(row[i])), "logp": float(row[i]), "rank": rank}
            for rank, (i, piece) in enumerate(zip(order, pieces, strict=True))
        ]
        written = int(self.written[t])
        return {
            "t": t,
            "entropy": float(self.entropy[t]),
            "rest": max(0.0, 1.0 - float(np.exp(row[order]).sum())),
            "candidates": candidates,
            "given": {
                "id": written,
                "piece": tokenizer.pieces([written])[0],
                "probability": float(np.exp(row[written])),
                "rank": int(self.ranks[t]),
            },
        }
