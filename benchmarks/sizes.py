"""What is trained: the same sizes, data, optimizer and schedule for every system."""

from dataclasses import asdict, dataclass
from typing import Any

from polyhead.model.config import PRESETS

VOCABULARY = 10_000
"""V: pieces of the vocabulary that source and target share."""
LABEL_SMOOTHING = 0.1


@dataclass(frozen=True)
class Size:
    """A Transformer's dimensions, by the names that `TransformerConfig` has for them."""

    name: str
    encoder_layers: int
    decoder_layers: int
    d_model: int
    d_ff: int
    num_heads: int
    dropout: float
    peak: float
    """The highest learning rate."""

    def message(self, vocabulary: int) -> dict[str, Any]:
        """What a driver is told."""
        return asdict(self) | {"vocabulary": vocabulary, "label_smoothing": LABEL_SMOOTHING}


SIZES = {
    "tiny": Size("tiny", **PRESETS["tiny"], dropout=0.3, peak=5e-3),
    "small": Size("small", **PRESETS["small"], dropout=0.3, peak=2e-3),
    "base": Size("base", **PRESETS["base"], dropout=0.1, peak=7e-4),
}
"""The project's presets. The small sizes have the dropout that little data wants, base has the paper's."""


@dataclass(frozen=True)
class Schedule:
    """Linear warm-up to a peak, then the inverse square root of the update."""

    peak: float
    warmup: int
