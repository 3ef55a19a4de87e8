"""What may come next: small pieces that take tokens away from a model's distribution.

A rule sets logits to -inf and leaves the others as they are: what is left keeps the probability that the model gave it,
so that probabilities no longer add up to 1. It owns the tensor it is given and may write into it.
Shapes: B sentences of the batch, R live rows, t tokens written so far, V vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.batch import pad
from polyhead.decoding.config import SearchConfig
from polyhead.symbols import EOS, PAD, SOS, UNK

NEVER = float("-inf")


@dataclass(frozen=True)
class Live:
    """The rows of a search that are still being written; tensors are made for the rules that look at them."""

    tokens: NDArray[np.int64]
    """[R, t], those so far without `<sos>`."""
    of: NDArray[np.int64]
    """[R], the sentence of the batch that a row translates. Rows move and leave; this says whose they are."""
    device: torch.device

    @cached_property
    def prefixes(self) -> Tensor:
        """[R, t] int64, `tokens`."""
        return torch.from_numpy(self.tokens).to(self.device)

    @cached_property
    def sentences(self) -> Tensor:
        """[R] int64, `of`."""
        return torch.from_numpy(self.of).to(self.device)

    @property
    def step(self) -> int:
        """t, how many tokens every row has."""
        return self.tokens.shape[1]


class Rule(Protocol):
    """Takes tokens away from the distribution."""

    def __call__(self, logits: Tensor, live: Live) -> Tensor:
        """logits [R, V] → the same with -inf where a token may not come next."""
        ...


@dataclass(frozen=True)
class Forbid:
    """Some tokens never come: `<pad>`, `<sos>`, `<unk>`, language tags."""

    tokens: tuple[int, ...]

    def __call__(self, logits: Tensor, live: Live) -> Tensor:
        if logits.device.type == "cpu":  # NumPy takes a tenth of the time
            logits.numpy()[:, self._numbers] = NEVER
            return logits
        return logits.index_fill_(1, torch.from_numpy(self._numbers).to(logits.device), NEVER)

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        return np.array(self.tokens)


@dataclass(frozen=True)
class MinLength:
    """No `<eos>` before a sentence has `lengths[b]` tokens; lengths [B] int64."""

    lengths: Tensor

    def __call__(self, logits: Tensor, live: Live) -> Tensor:
        short = self.lengths[live.sentences] > live.step
        logits[:, EOS].masked_fill_(short, NEVER)
        return logits


@dataclass(frozen=True)
class MaxLength:
    """Nothing but `<eos>` once a sentence has `lengths[b]` tokens; lengths [B] int64."""

    lengths: Tensor

    def __call__(self, logits: Tensor, live: Live) -> Tensor:
        if live.step < self.shortest:
            return logits
        full = self.lengths[live.sentences] <= live.step
        return _only(logits, full, torch.full_like(live.sentences, EOS)) if full.any() else logits

    @cached_property
    def shortest(self) -> int:
        """The first step at which any sentence may be at its end."""
        return int(self.lengths.min()) if len(self.lengths) else 0


@dataclass(frozen=True)
class NoRepeatNgram:
    """No n-gram appears twice (Paulus et al. 2018, section 2.5, with n = 3)."""

    n: int

    def __call__(self, logits: Tensor, live: Live) -> Tensor:
        if live.step < self.n:
            return logits
        seen = live.prefixes.unfold(1, self.n, 1)  # [R, t-n+1, n]
        context = live.prefixes[:, live.step - self.n + 1 :]  # [R, n-1]
        rows, places = (seen[:, :, :-1] == context[:, None]).all(-1).nonzero(as_tuple=True)
        logits[rows, seen[rows, places, -1]] = NEVER
        return logits


class Chain:
    """Rules one after another."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)

    def __call__(self, logits: Tensor, live: Live) -> Tensor:
        for rule in self.rules:
            logits = rule(logits, live)
        return logits


class ForcedPrefix:
    """Every sentence begins with its own given tokens; the other rules apply after them.

    It wraps the other rules, as what a person has written may break them (a language tag, a repetition).
    """

    def __init__(self, prefixes: Sequence[Sequence[int]], then: Rule, device: torch.device | str = "cpu") -> None:
        self.tokens = pad(prefixes).to(device)
        self.lengths = torch.tensor([len(prefix) for prefix in prefixes], dtype=torch.int64, device=device)
        self.then = then

    def __call__(self, logits: Tensor, live: Live) -> Tensor:
        if live.step >= self.tokens.size(1):
            return self.then(logits, live)
        forced = self.lengths[live.sentences] > live.step
        original = logits.clone()
        free = self.then(logits, live)
        only = _only(original, forced, self.tokens[live.sentences, live.step])
        return torch.where(forced[:, None], only, free)


def max_lengths(config: SearchConfig, source_mask: Tensor, prefixes: Sequence[Sequence[int]] = ()) -> Tensor:
    """source_mask [B, S] → [B] int64, the most tokens each output may have.

    It depends on the sentence's own source, never on its companions; a forced prefix always has room.
    """
    source_lengths = source_mask.sum(1).double()
    lengths = (source_lengths * config.max_length_ratio).floor().long() + config.max_length_offset
    if config.max_length is not None:
        lengths = lengths.clamp(max=config.max_length)
    if prefixes:
        given = torch.tensor([len(prefix) for prefix in prefixes], dtype=torch.int64, device=lengths.device)
        lengths = lengths.maximum(given)
    return lengths


def search_rule(
    config: SearchConfig, longest: Tensor, rules: Sequence[Rule] = (), prefixes: Sequence[Sequence[int]] = ()
) -> Rule:
    """A config's rules, then the caller's, as one; `longest` [B] as `max_lengths` gives it.

    Raises ValueError if there are prefixes, but not one for every sentence.
    """
    own: list[Rule] = [Forbid((PAD, SOS) if config.allow_unknown else (PAD, SOS, UNK))]
    if config.min_length:
        own.append(MinLength(longest.clamp(max=config.min_length)))
    if config.no_repeat_ngram:
        own.append(NoRepeatNgram(config.no_repeat_ngram))
    chain = Chain([*own, *rules, MaxLength(longest)])
    if not prefixes:
        return chain
    if len(prefixes) != longest.size(0):
        raise ValueError(f"{len(prefixes)} forced prefixes for {longest.size(0)} sentences: give one each, maybe empty")
    return ForcedPrefix(prefixes, then=chain, device=longest.device)


def _only(logits: Tensor, rows: Tensor, tokens: Tensor) -> Tensor:
    """In the rows where `rows` [R] is True, only tokens[r] stays possible."""
    kept = logits.gather(1, tokens[:, None])
    alone = torch.full_like(logits, NEVER).scatter_(1, tokens[:, None], kept)
    return torch.where(rows[:, None], alone, logits)
