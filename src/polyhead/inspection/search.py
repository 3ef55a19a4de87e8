"""The search behind a trace: as the translator would search, on a model that the caller gives, and observed."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from polyhead.bundle.bundle import Bundle
from polyhead.decoding.beam import beam
from polyhead.decoding.config import BeamConfig, SearchConfig
from polyhead.decoding.rules import Rule
from polyhead.decoding.searchable import Searchable
from polyhead.decoding.trace import SearchTree
from polyhead.engine.choice import Choice
from polyhead.errors import PolyheadError
from polyhead.inspection.beam import BeamHistory
from polyhead.symbols import EOS


class Subject(Protocol):
    """The translator that is looked into: what a trace needs of it."""

    @property
    def bundle(self) -> Bundle:
        """The model and its vocabularies; of an ensemble, its first model."""
        ...

    @property
    def engine(self) -> Searchable[Any]:
        """The engine that the translator's searches call."""
        ...

    @property
    def choices(self) -> Sequence[Choice]:
        """For each of the translator's models, which engine computes it and in which precision."""
        ...

    @property
    def longest_source(self) -> int:
        """The most tokens of a source, tag and `<eos>` included."""
        ...

    @property
    def max_length(self) -> int:
        """The most tokens of a translation, `<eos>` included."""
        ...

    @property
    def rules(self) -> list[Rule]:
        """The rules that every search keeps, besides its settings."""
        ...

    def search_settings(
        self, search: SearchConfig | None = None, beam_size: int | None = None, n_best: int | None = None
    ) -> SearchConfig:
        """The model's own search settings, changed as asked."""
        ...

    def pieces(self, texts: Sequence[str], target_language: str | None = None) -> Sequence[object]:
        """The parts of the texts that are translated one by one."""
        ...

    def encode_source(self, text: str, target_language: str | None = None) -> list[int]:
        """The ids of the tokens that the encoder reads, without `<eos>`."""
        ...


def beam_settings(subject: Subject, beam_size: int | None) -> BeamConfig:
    """The settings of the subject's beam search. Raises PolyheadError for a size below 1."""
    if beam_size is not None and beam_size < 1:
        raise PolyheadError(f"beam_size = {beam_size}: a beam holds one hypothesis at least")
    settings = subject.search_settings(None, beam_size, 1)
    return settings if isinstance(settings, BeamConfig) else BeamConfig()


def search(
    subject: Subject, model: Searchable[Any], source: Sequence[int], settings: BeamConfig
) -> tuple[tuple[int, ...], BeamHistory]:
    """The best translation of `source` (ids without `<eos>`) by `model`, and how it was found."""
    tree = SearchTree()
    row = np.array([[*source, EOS]])
    best = beam(model, row, np.ones_like(row, np.bool_), settings, rules=subject.rules, observer=tree)[0][0]
    return best.tokens, BeamHistory(settings.beam_size, settings.length_penalty, tree.steps)
