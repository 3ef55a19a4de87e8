"""Beam search with length normalisation (Wu et al. 2016, section 7; Vaswani et al. 2017, section 6.1).

Each step ranks the continuations of a sentence's live hypotheses by log-probability. `<eos>` among the best K ends a
hypothesis; the best K others live on. A live hypothesis is given up as soon as it cannot get into the n best any more:
log-probabilities are ≤ 0 and the penalty grows with the length, so log P / penalty(longest) bounds every score it can
reach. As that bound falls with log P, whatever takes the place of such a hypothesis could not get in either: giving up
early never changes the result.
Shapes: B sentences, N of them still searched, R live rows, t tokens so far, S source length, V vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from polyhead.decoding.candidates import Candidates, best_continuations, log_softmax
from polyhead.decoding.config import BeamConfig
from polyhead.decoding.finished import Finished
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.length_penalty import LengthPenalty, length_penalty
from polyhead.decoding.rules import NEVER, Live, Rule, max_lengths, search_rule
from polyhead.decoding.trace import Observer, Ranked, StepRecord
from polyhead.model.seq2seq import S, Seq2Seq
from polyhead.symbols import EOS, SOS


@torch.inference_mode()
def beam(
    model: Seq2Seq[S],
    source: Tensor,
    source_mask: Tensor,
    config: BeamConfig | None = None,
    *,
    rules: Sequence[Rule] = (),
    prefixes: Sequence[Sequence[int]] = (),
    observer: Observer | None = None,
) -> list[list[Hypothesis]]:
    """source [B, S] int64, source_mask [B, S] bool → for every sentence up to `n_best` hypotheses, best first.

    `rules` come on top of the config's; `prefixes` gives every sentence the tokens its output must begin with;
    `observer` is called once a step. The model must be in eval mode. Ties go to the better parent, then to the lower
    token. Raises ValueError if there are prefixes, but not one for every sentence.
    """
    config = config or BeamConfig()
    longest = max_lengths(config, source_mask, prefixes)
    rule = search_rule(config, longest, rules, prefixes)
    if not len(longest):
        return []
    penalty = length_penalty(config.length_penalty)
    finished = Finished(config.n_best, penalty(longest.double() + 1))
    front = _Front.begin(longest)
    previous, state = torch.full_like(longest, SOS), model.start(model.encode(source, source_mask))
    while True:
        logits, state = model.step(previous, state)
        log_probabilities = rule(log_softmax(logits), front.live)
        step = _advance(front, log_probabilities, config.beam_size, penalty, finished)
        if observer is not None:
            observer(step.record(front.live.step, penalty))
        parents = step.live.parents
        if not len(parents):
            return finished.results
        if len(parents) != len(previous) or not torch.equal(parents, torch.arange(len(parents), device=parents.device)):
            state = state.select(parents)
        front, previous = front.extend(step.live), step.live.tokens


@dataclass(frozen=True)
class _Front:
    """The live hypotheses, a sentence's rows next to each other, best first."""

    live: Live
    history: Tensor
    """[R, t] float32, log-probabilities of the tokens so far."""
    totals: Tensor
    """[R] float64, their sums."""

    @staticmethod
    def begin(longest: Tensor) -> "_Front":
        """One empty hypothesis for every sentence; longest [B]."""
        sentences = torch.arange(len(longest), device=longest.device)
        live = Live(sentences.new_empty(len(longest), 0), sentences)
        totals = torch.zeros(len(longest), dtype=torch.float64, device=longest.device)
        return _Front(live, totals.float().new_empty(len(longest), 0), totals)

    def extend(self, chosen: Candidates) -> "_Front":
        """The hypotheses of the candidates [C]."""
        prefixes = torch.cat([self.live.prefixes[chosen.parents], chosen.tokens[:, None]], dim=1)
        history = torch.cat([self.history[chosen.parents], chosen.log_probabilities[:, None]], dim=1)
        return _Front(Live(prefixes, chosen.sentences), history, chosen.totals)


@dataclass(frozen=True)
class _Step:
    """What became of the candidates of one step; the live and the finished ones flat [C]."""

    live: Candidates
    finished: Candidates
    candidates: Candidates
    """All of them, [N, C]."""
    given_up: Tensor
    """[N, C] bool, which of them are neither."""

    def record(self, step: int, penalty: LengthPenalty) -> StepRecord:
        """For an observer."""
        pruned = self.candidates.where(self.given_up)

        def ranked(candidates: Candidates) -> Ranked:
            return Ranked(candidates, candidates.totals / penalty(candidates.totals.new_tensor(step + 1)))

        return StepRecord(step, ranked(self.live), ranked(self.finished), ranked(pruned))


def _advance(
    front: _Front, log_probabilities: Tensor, beam_size: int, penalty: LengthPenalty, finished: Finished
) -> _Step:
    """log_probabilities [R, V] → which candidates live on and which are finished; the latter are entered."""
    # of 2K candidates at most K end (one for each parent), so K others remain
    candidates = _expand(front, log_probabilities, 2 * beam_size)
    possible, ends = candidates.totals > NEVER, candidates.tokens == EOS
    others = possible & ~ends
    ending = possible & ends
    ending[:, beam_size:] = False  # a hypothesis must reach its end among the best K, as it would have to go on living
    done = candidates.where(ending)
    if len(done.tokens):
        scores = done.totals / penalty(done.totals.new_tensor(front.live.step + 1))
        finished.add(done, front.live, front.history, scores)
    living = others & (others.cumsum(1) <= beam_size) & finished.in_reach(candidates)
    if beam_size == 1:  # a beam of one has no place beside the finished hypothesis: it is greedy search
        living &= ~finished.any(candidates.sentences)
    live = candidates.where(living)
    finished.add_dead_ends(live, front.live, front.history, front.totals, penalty)
    return _Step(live, done, candidates, possible & ~living & ~ending)


def _expand(front: _Front, log_probabilities: Tensor, count: int) -> Candidates:
    """log_probabilities [R, V] → every sentence's best continuations, at most `count`, best first: fields [N, C]."""
    sentences = front.live.sentences
    first = (sentences.diff(prepend=sentences.new_tensor([-1])) != 0).nonzero()[:, 0]
    starts = torch.cat([first, first.new_tensor([len(sentences)])])
    parents, tokens, totals = best_continuations(log_probabilities, front.totals, starts, count)
    values = log_probabilities[parents, tokens]
    return Candidates(sentences[first][:, None].expand_as(parents), parents, tokens, values, totals)
