"""How `polyhead translate` searches: the model's own settings with what was asked for in their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyhead.cli.usage import UsageError

if TYPE_CHECKING:
    from polyhead.decoding.config import BeamConfig, SearchConfig

USUAL = {"temperature": 1.0, "top_k": 0, "top_p": 1.0}
"""Settings of sampling that leave the model's distribution as it is."""


@dataclass(frozen=True)
class Asked:
    """What a command line says about the search; None is the model's own setting."""

    lengths: tuple[int | None, int | None]
    """The fewest and the most tokens of an output."""
    shape: Mapping[str, float | str | None]
    """What beam search and sampling share besides, by name."""
    patience: float | None
    sample: bool
    """Whether to draw translations instead of searching the best."""
    drawn: Mapping[str, float]
    """How to draw them: temperature, top_k, top_p."""
    seed: int

    def check(self, *, has_beam: bool) -> None:
        """Raises UsageError for what can't go together.

        has_beam: whether a beam, or several translations of a text, are asked for
        """
        if self.sample and (has_beam or self.patience is not None):
            raise UsageError("--sample draws one translation a line; leave out --beam, --n-best and --patience")
        if not self.sample and dict(self.drawn) != USUAL:
            raise UsageError("--temperature, --top-k and --top-p shape a distribution to draw from; add --sample")
        least, most = self.lengths
        if least is not None and most is not None and least > most:
            raise UsageError(f"--min-length {least} is above --max-length {most}: no output can have both")

    def settings(self, usual: BeamConfig) -> SearchConfig:
        """The settings of the search: those that were asked for, and otherwise the model's own, `usual`."""
        shared = {"min_length": self.lengths[0], "max_length": self.lengths[1], **self.shape}
        given = {key: value for key, value in shared.items() if value is not None}
        if not self.sample:
            patient = {} if self.patience is None else {"patience": self.patience}
            return type(usual).model_validate({**usual.model_dump(), **given, **patient})
        from polyhead.decoding.config import SamplingConfig

        own = {key: getattr(usual, key) for key in shared}
        return SamplingConfig.model_validate({**own, **given, **self.drawn, "seed": self.seed})
