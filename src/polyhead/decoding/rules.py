"""What may come next: small pieces that take tokens away from a model's distribution.

A rule sets logits to -inf and leaves the others as they are: what is left keeps the probability that the model gave it,
so that probabilities no longer add up to 1. It owns the logits that it is given and writes into them; whether they are
an array or another device's tensor, `logits[rows, tokens]` means the same.
Shapes: B sentences of the batch, R live rows, t tokens written so far, V vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from polyhead.batch import padded
from polyhead.decoding.config import SearchConfig
from polyhead.decoding.searchable import Booleans, Logits, Numbers
from polyhead.symbols import EOS, PAD, SOS, UNK

NEVER = float("-inf")


class Live(NamedTuple):
    """The rows of a search that are still being written."""

    tokens: Numbers
    """[R, t], the tokens so far without `<sos>`."""
    sentences: Numbers
    """[R], the sentence of the batch that a row translates. Rows move and leave; this says whose they are."""

    @property
    def step(self) -> int:
        """t, how many tokens every row has."""
        return self.tokens.shape[1]


class Rule(Protocol):
    """Takes tokens away from the distribution."""

    def __call__(self, logits: Logits, live: Live) -> None:
        """logits [R, V]: -inf is written where a token may not come next."""
        ...


@dataclass(frozen=True)
class Forbid:
    """Some tokens never come: `<pad>`, `<sos>`, `<unk>`, language tags."""

    tokens: tuple[int, ...]

    def __call__(self, logits: Logits, live: Live) -> None:
        logits[:, self._numbers] = NEVER

    @cached_property
    def _numbers(self) -> Numbers:
        return np.array(self.tokens, np.int64)


@dataclass(frozen=True)
class MinLength:
    """Forbids `<eos>` before a sentence has `lengths[b]` tokens; lengths [B]."""

    lengths: Numbers

    def __call__(self, logits: Logits, live: Live) -> None:
        short = (self.lengths[live.sentences] > live.step).nonzero()[0]
        logits[short, EOS] = NEVER


@dataclass(frozen=True)
class MaxLength:
    """Forbids all but `<eos>` once a sentence has `lengths[b]` tokens; lengths [B]."""

    lengths: Numbers

    def __call__(self, logits: Logits, live: Live) -> None:
        if live.step < self.shortest:
            return
        full = (self.lengths[live.sentences] <= live.step).nonzero()[0]
        _leave(logits, full, np.full_like(full, EOS), logits[full, EOS])

    @cached_property
    def shortest(self) -> int:
        """The first step at which any sentence may be at its end."""
        return int(self.lengths.min()) if len(self.lengths) else 0


@dataclass(frozen=True)
class NoRepeatNgram:
    """No n-gram appears twice (Paulus et al. 2018, section 2.5, with n = 3)."""

    n: int

    def __call__(self, logits: Logits, live: Live) -> None:
        if live.step < self.n:
            return
        seen = sliding_window_view(live.tokens, self.n, axis=1)  # [R, t-n+1, n]
        context = live.tokens[:, live.step - self.n + 1 :]  # [R, n-1]
        rows, places = (seen[:, :, :-1] == context[:, None]).all(-1).nonzero()
        logits[rows, seen[rows, places, -1]] = NEVER


class Chain:
    """Several rules as one, applied one after another."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)

    def __call__(self, logits: Logits, live: Live) -> None:
        for rule in self.rules:
            rule(logits, live)


class ForcedPrefix:
    """Every sentence begins with its own given tokens; the other rules apply after them.

    It wraps the other rules, as what a person has written may break them (a language tag, a repetition).
    """

    def __init__(self, prefixes: Sequence[Sequence[int]], then: Rule) -> None:
        self.tokens = padded(prefixes)
        self.lengths = np.array([len(prefix) for prefix in prefixes], np.int64)
        self.then = then

    def __call__(self, logits: Logits, live: Live) -> None:
        if live.step >= self.tokens.shape[1]:
            self.then(logits, live)
            return
        forced = (self.lengths[live.sentences] > live.step).nonzero()[0]
        tokens = self.tokens[live.sentences[forced], live.step]
        given = logits[forced, tokens]  # before another rule may take it away
        self.then(logits, live)
        _leave(logits, forced, tokens, given)


def max_lengths(config: SearchConfig, source_mask: Booleans, prefixes: Sequence[Sequence[int]] = ()) -> Numbers:
    """source_mask [B, S] → [B], the most tokens each output may have.

    It depends on the sentence's own source, never on the rest of the batch. A forced prefix always has room.
    Raises ValueError if there are prefixes, but not one for every sentence.
    """
    if prefixes and len(prefixes) != len(source_mask):
        raise ValueError(
            f"{len(prefixes)} forced prefixes for {len(source_mask)} sentences: give one each, maybe empty"
        )
    lengths = np.floor(source_mask.sum(1) * config.max_length_ratio).astype(np.int64) + config.max_length_offset
    if config.max_length is not None:
        lengths = lengths.clip(max=config.max_length)
    if prefixes:
        lengths = np.maximum(lengths, np.array([len(prefix) for prefix in prefixes], np.int64))
    return lengths


def search_rule(
    config: SearchConfig, longest: Numbers, rules: Sequence[Rule] = (), prefixes: Sequence[Sequence[int]] = ()
) -> Rule:
    """A config's rules, then the caller's, as one; `longest` [B] as `max_lengths` gives it for these prefixes."""
    own: list[Rule] = [Forbid((PAD, SOS) if config.allow_unknown else (PAD, SOS, UNK))]
    if config.min_length:
        own.append(MinLength(longest.clip(max=config.min_length)))
    if config.no_repeat_ngram:
        own.append(NoRepeatNgram(config.no_repeat_ngram))
    chain = Chain([*own, *rules, MaxLength(longest)])
    return ForcedPrefix(prefixes, then=chain) if prefixes else chain


def _leave(logits: Logits, rows: Numbers, tokens: Numbers, given: Any) -> None:
    """Makes tokens[i] the only possible token of row rows[i], with the logit given[i]."""
    logits[rows] = NEVER
    logits[rows, tokens] = given
