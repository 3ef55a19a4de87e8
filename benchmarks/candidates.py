"""Settings that are tried in place of the defaults, each by name."""

from collections.abc import Callable, Mapping
from typing import Any

Keys = dict[str, Any]
"""Keys of a recipe with their paths → values."""
Chosen = Mapping[str, Any]
"""What the defaults are for the corpus, in the same form."""


def former(pairs: int) -> Keys:
    """The defaults of version 0.1, which looked at the number of sentence pairs alone."""
    small = 3_000 if pairs < 3_000 else 15_000
    batch = 2048 if pairs < 3_000 else 4096 if pairs < small else 16384
    epochs = min(100.0, max(4.0, 70.0 * (30_000 / pairs) ** 0.5))
    updates = round(max(300.0, epochs * max(1.0, pairs * 32 / batch)))
    vocabulary = 9_000 * (pairs / 30_000) ** (0.75 if pairs < 30_000 else 0.26)
    tiny = pairs < 60_000
    return {
        "model.preset": "tiny" if tiny else "small",
        "model.dropout": 0.3 if tiny else 0.2,
        "tokenizer.vocabulary_size": max(300, int(vocabulary) // 64 * 64),
        "tokenizer.dropout": 0.0,
        "data.batching.max_tokens": batch,
        "data.cleaning.drop_duplicates": True,
        "training.optimizer.kind": "adam",
        "training.optimizer.clip_norm": 1.0,
        "training.optimizer.weight_decay": 0.0,
        "training.schedule.kind": "inverse-sqrt",
        "training.schedule.learning_rate": 5e-3 if tiny else 2e-3,
        "training.schedule.warmup": 500 if pairs < 10_000 else 2000,
        "training.label_smoothing": 0.1,
        "training.max_updates": updates,
        "training.validate_every": max(50, min(2000, updates // 30)),
        "training.min_delta": "none",
        "training.patience": 10,
        "training.averaging.count": 5,
        "decoding.length_penalty": 0.6,
    }


def rnn_attention(chosen: Chosen) -> Keys:
    """The Transformer's predecessor, on the same text for as long: what no default may be worse than."""
    return {
        "model.kind": "rnn-attention",
        "model.d_model": 256,
        "model.hidden_size": 256,
        "model.tie_embeddings": "all",
        "model.dropout": 0.3,
        "tokenizer.vocabulary_size": chosen["tokenizer.vocabulary_size"],
    }


def _times(key: str, factor: float, whole: bool = True) -> Callable[[Chosen], Keys]:
    def keys(chosen: Chosen) -> Keys:
        value = chosen[key] * factor
        return {key: round(value) if whole else round(value, 6)}

    return keys


CANDIDATES: dict[str, Callable[[Chosen], Keys]] = {
    "default": lambda chosen: {},
    "half the vocabulary": _times("tokenizer.vocabulary_size", 0.5),
    "twice the vocabulary": _times("tokenizer.vocabulary_size", 2),
    "dropout 0.1": lambda chosen: {"model.dropout": 0.1},
    "dropout 0.2": lambda chosen: {"model.dropout": 0.2},
    "dropout 0.3": lambda chosen: {"model.dropout": 0.3},
    "dropout 0.4": lambda chosen: {"model.dropout": 0.4},
    "label smoothing 0.1": lambda chosen: {"training.label_smoothing": 0.1},
    "label smoothing 0.2": lambda chosen: {"training.label_smoothing": 0.2},
    "label smoothing 0.3": lambda chosen: {"training.label_smoothing": 0.3},
    "no weight decay": lambda chosen: {"training.optimizer.weight_decay": 0.0},
    "weight decay 0.1": lambda chosen: {"training.optimizer.weight_decay": 0.1},
    "weight decay 0.2": lambda chosen: {"training.optimizer.weight_decay": 0.2},
    "weight decay 0.3": lambda chosen: {"training.optimizer.weight_decay": 0.3},
    "no BPE dropout": lambda chosen: {"tokenizer.dropout": 0.0},
    "BPE dropout": lambda chosen: {"tokenizer.dropout": 0.1},
    "half the peak": _times("training.schedule.learning_rate", 0.5, whole=False),
    "half the batch": _times("data.batching.max_tokens", 0.5),
    "twice the batch": _times("data.batching.max_tokens", 2),
    "half the updates": _times("training.max_updates", 0.5),
    "twice the updates": _times("training.max_updates", 2),
    "the small model": lambda chosen: {"model.preset": "small"},
    "the shallow model": lambda chosen: {"model.preset": "shallow"},
    "the tiny model": lambda chosen: {"model.preset": "tiny"},
    "one layer": lambda chosen: {"model.encoder_layers": 1, "model.decoder_layers": 1},
    "without duplicates": lambda chosen: {"data.cleaning.drop_duplicates": True},
    "Adam": lambda chosen: {"training.optimizer.kind": "adam"},
    "RNN with attention": rnn_attention,
}
"""Name → what it changes, given what is chosen. The former defaults, which follow from the corpus' size, are apart."""
FORMER = "former defaults"
