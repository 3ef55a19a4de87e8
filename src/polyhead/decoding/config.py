"""Settings of the searches."""

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from polyhead.config import Config
from polyhead.limits import LARGEST_SEED, LARGEST_VOCABULARY, LONGEST, WIDEST_BEAM


class SearchConfig(Config):
    """The settings that every search has."""

    length_penalty: Annotated[float, Field(ge=0, le=10)] | Literal["average"] = 0.6
    """α of Wu et al. 2016: score = log P(Y|X) / ((5+|Y|)/6)^α; 0 for none, "average" to divide by |Y|."""
    max_length_ratio: float = Field(default=1.0, ge=0, le=100)
    """Output tokens allowed for each source token (the paper: 1)."""
    max_length_offset: int = Field(default=50, ge=0, le=10_000)
    """Output tokens allowed on top of what `max_length_ratio` allows (the paper: input length + 50)."""
    max_length: int | None = Field(default=None, ge=0, le=LONGEST)
    """No output is longer than this many tokens, whatever the source; None for no such limit."""
    min_length: int = Field(default=0, ge=0, le=LONGEST)
    """`<eos>` is not written before this many tokens."""
    no_repeat_ngram: int = Field(default=0, ge=0, le=1_000)
    """No n-gram of this n appears twice in an output; 0 allows every repetition."""
    allow_unknown: bool = False
    """Whether `<unk>` may be written."""


class GreedyConfig(SearchConfig):
    """Greedy search: the most probable token at every step; `length_penalty` only scales the reported score."""


class BeamConfig(SearchConfig):
    """Beam search, Vaswani et al. 2017, section 6.1."""

    beam_size: int = Field(default=5, ge=1, le=WIDEST_BEAM)
    """K, hypotheses kept alive for each sentence (the paper: 4)."""
    n_best: int = Field(default=1, ge=1, le=WIDEST_BEAM)
    """How many finished hypotheses to return for each sentence, at most `beam_size`."""
    patience: float | None = Field(default=None, gt=0, le=1_000)
    """A sentence's search ends when K · patience hypotheses are finished (Kasai et al. 2022; 1 is what most toolkits
    do); None: when no live hypothesis could get among the n best any more."""

    @model_validator(mode="after")
    def _n_best_fits(self) -> Self:
        if self.n_best > self.beam_size:
            raise ValueError(f"n_best ({self.n_best}) is above beam_size ({self.beam_size}): raise beam_size")
        return self

    @property
    def enough(self) -> float:
        """How many finished hypotheses end a sentence's search, whatever hypotheses are still alive.

        A beam of one has no place beside the finished hypothesis: it is greedy search.
        """
        if self.beam_size == 1:
            return 1
        return math.inf if self.patience is None else max(self.n_best, math.ceil(self.beam_size * self.patience))


class SamplingConfig(SearchConfig):
    """Sampling from the model's distribution; filters apply in the order temperature, top-k, top-p."""

    temperature: float = Field(default=1.0, ge=1e-6, le=1e6)
    """Divides the log-probabilities: below 1 sharpens, above 1 flattens."""
    top_k: int = Field(default=0, ge=0, le=LARGEST_VOCABULARY)
    """Draw only from the k most probable tokens (Fan et al. 2018, section 5.4); 0 for all."""
    top_p: float = Field(default=1.0, gt=0, le=1)
    """Draw only from the smallest set of tokens whose mass reaches p (Holtzman et al. 2020, section 3.1); 1 for all."""
    seed: int = Field(default=0, ge=0, le=LARGEST_SEED)
    """Together with a sentence's index, the seed fixes that sentence's sample, whatever else is in the batch."""
