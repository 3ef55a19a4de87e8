"""What a recipe leaves open follows from the corpus and the machine. Every choice is said.

The rules are for one corpus size at a time, from what is known to work: small corpora want small, strongly
regularised models trained for many epochs; large ones the paper's values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch

from polyhead.model.config import CONFIGS, PRESETS
from polyhead.recipe.load import Values, merge

SMALL, MEDIUM = 60_000, 500_000
"""Sentence pairs: below SMALL the tiny model is the best one, below MEDIUM the small one."""
PEAKS = {128: 5e-3, 256: 2e-3, 512: 7e-4, 1024: 3e-4}
"""d_model → the peak of the inverse-square-root schedule; wider models take smaller steps."""
TOKENS_A_PAIR = 32
"""Source and target together, as a rule of thumb for sentences."""
TOKENS_A_SHARE = 4096
"""Source and target together; in smaller shares of a batch the matrix products are too small."""

Suggestion = tuple[tuple[str, ...], Any, str]
"""A key, a value for it, and why."""


@dataclass(frozen=True)
class Choice:
    """A default that was filled in, for people to read."""

    key: str
    value: Any
    why: str

    def __str__(self) -> str:
        return f"{self.key} = {self.value}  ({self.why})"


def complete(
    values: Values, pairs: int, device: torch.device, begun: Values | None = None
) -> tuple[Values, list[Choice]]:
    """Fills in what `values`, which are valid, leave open for a corpus of so many pairs → all values, the choices.

    begun: the record of a run to go on with, on another machine perhaps: shares of a batch stay as many as they were
    """
    choices: list[Choice] = []
    given = values.get("model", {})
    if given.get("kind", "transformer") == "transformer" and not ({"preset", "d_model"} & given.keys()):
        preset = _preset(pairs, device)
        choices.append(Choice("model.preset", preset, f"{pairs:,} pairs on {device.type}"))
        values = merge({"model": {"preset": preset}}, values)
    d_model = _d_model(values.get("model", {}))
    suggestions: list[Suggestion] = [
        (("model", "dropout"), _dropout(pairs), f"{pairs:,} pairs"),
        (("data", "batching", "max_tokens"), _batch_tokens(pairs), f"{pairs:,} pairs"),
        *_tying(values),
        *_schedule(values, d_model, pairs),
    ]
    values = _fill(values, suggestions, choices)
    values = _fill(values, _workers(values, device, begun or {}), choices)
    return _with_duration(values, pairs, choices), choices


def _fill(values: Values, suggestions: Sequence[Suggestion], choices: list[Choice]) -> Values:
    """Takes each suggestion whose key is not given, and notes it."""
    for keys, value, why in suggestions:
        if not _given(values, keys):
            choices.append(Choice(".".join(keys), value, why))
            values = merge(_nested(keys, value), values)
    return values


def _with_duration(values: Values, pairs: int, choices: list[Choice]) -> Values:
    """Updates, validations and patience, which follow from the batch size."""
    accumulation = values.get("training", {}).get("optimizer", {}).get("accumulation", 1)
    batch = int(values["data"]["batching"]["max_tokens"]) * int(accumulation)  # a key may be given as text
    an_epoch = max(1.0, pairs * TOKENS_A_PAIR / batch)
    epochs = min(100.0, max(4.0, 70.0 * (30_000 / max(1, pairs)) ** 0.5))
    updates = round(max(300.0, epochs * an_epoch))
    suggestions: list[Suggestion] = [
        (("training", "max_updates"), updates, f"about {epochs:.0f} epochs"),
        (("training", "validate_every"), max(50, min(2000, updates // 30)), "30 validations"),
        (("training", "patience"), 10, "validations without a better score"),
        (("training", "averaging", "count"), 5, "validations"),
    ]
    return _fill(values, suggestions, choices)


def _tying(values: Values) -> list[Suggestion]:
    """Three embeddings can be one only where source and target share a vocabulary."""
    transformer = values.get("model", {}).get("kind", "transformer") == "transformer"
    if not transformer or values.get("tokenizer", {}).get("shared", True) is not False:
        return []
    return [(("model", "tie_embeddings"), "output", "two vocabularies")]


def _workers(values: Values, device: torch.device, begun: Values) -> list[Suggestion]:
    """A core for every share of a batch that is large enough to keep one busy."""
    keys = ("training", "workers")
    if _given(begun, keys):
        return [(keys, begun["training"]["workers"], "as the run was begun")]
    cores = torch.get_num_threads()
    shares = min(cores, int(values["data"]["batching"]["max_tokens"]) // TOKENS_A_SHARE)
    transformer = values.get("model", {}).get("kind", "transformer") == "transformer"
    if not transformer or device.type != "cpu" or shares < 2:
        return []
    return [(keys, shares, f"{cores} CPU threads")]


def _schedule(values: Values, d_model: int, pairs: int) -> list[Suggestion]:
    """A schedule whose kind is given is taken as it is: what its other keys mean depends on the kind."""
    if _given(values, ("training", "schedule", "kind")):
        return []
    peak = PEAKS[min(PEAKS, key=lambda width: abs(width - d_model))]
    warmup = 500 if pairs < SMALL / 6 else 2000 if pairs < MEDIUM else 4000
    why = f"d_model {d_model}"
    return [
        (("training", "schedule", "kind"), "inverse-sqrt", why),
        (("training", "schedule", "learning_rate"), peak, why),
        (("training", "schedule", "warmup"), warmup, f"{pairs:,} pairs"),
    ]


def _preset(pairs: int, device: torch.device) -> str:
    if pairs < SMALL:
        return "tiny"
    return "small" if pairs < MEDIUM or device.type == "cpu" else "base"


def _dropout(pairs: int) -> float:
    return 0.3 if pairs < SMALL else 0.2 if pairs < MEDIUM else 0.1


def _batch_tokens(pairs: int) -> int:
    """Source and target together. At the peaks above the steps of smaller batches are mostly noise."""
    return 2048 if pairs < 3_000 else 4096 if pairs < 15_000 else 16384


def _d_model(model: Values) -> int:
    usual = CONFIGS[str(model.get("kind", "transformer"))].model_fields["d_model"].default
    return int(model.get("d_model", PRESETS.get(str(model.get("preset")), {}).get("d_model", usual)))


def _given(values: Values, keys: tuple[str, ...]) -> bool:
    current: Any = values
    for key in keys:
        if not isinstance(current, dict) or key not in current:
            return False
        current = cast(Values, current)[key]
    return True


def _nested(keys: tuple[str, ...], value: Any) -> Values:
    for key in reversed(keys):
        value = {key: value}
    return value
