"""Beam search with length normalisation (Wu et al. 2016, section 7; Vaswani et al. 2017, section 6.1).

Each step ranks the continuations of a sentence's live hypotheses by log-probability. `<eos>` among the best K ends a
hypothesis; the best K others live on. A live hypothesis is given up as soon as it cannot get into the n best any more:
log-probabilities are ≤ 0 and the penalty grows with the length, so log P / penalty(longest) bounds every score it can
reach. As that bound falls with log P, whatever takes the place of such a hypothesis could not get in either: giving up
early never changes the result. With `patience`, a sentence's search may end before that.
Shapes: B sentences, N of them still searched, R live rows, t tokens so far, S source length, V vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyhead.decoding.candidates import Candidates
from polyhead.decoding.compiled.beams import sort_out
from polyhead.decoding.config import BeamConfig
from polyhead.decoding.finished import Finished
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.length_penalty import penalties
from polyhead.decoding.live_rows import LiveRows
from polyhead.decoding.next_token import Continuations, next_step_of
from polyhead.decoding.rules import NEVER, Rule, max_lengths, search_rule
from polyhead.decoding.searchable import Mask, Model, Source, searchable
from polyhead.decoding.trace import Observer, Ranked, StepRecord
from polyhead.symbols import EOS, SOS


def beam(
    model: Model,
    source: Source,
    source_mask: Mask,
    config: BeamConfig | None = None,
    *,
    rules: Sequence[Rule] = (),
    prefixes: Sequence[Sequence[int]] = (),
    observer: Observer | None = None,
) -> list[list[Hypothesis]]:
    """source [B, S] int64, source_mask [B, S] bool → for every sentence up to `n_best` hypotheses, best first.

    Source and mask are arrays or, for a PyTorch model, tensors on its device.

    `rules` come on top of the config's; `prefixes` gives every sentence the tokens its output must begin with;
    `observer` is called once a step. The model must be in eval mode. Ties go to the better parent, then to the lower
    token. Raises ValueError if there are prefixes, but not one for every sentence.
    """
    config = config or BeamConfig()
    model, source, source_mask = searchable(model, source, source_mask)
    longest = max_lengths(config, source_mask, prefixes)
    rule = search_rule(config, longest, rules, prefixes)
    if not len(longest):
        return []
    penalty = penalties(config.length_penalty, longest)
    finished = Finished(config.n_best, config.enough, penalty, longest)
    live_rows, next_step = LiveRows.begin(len(longest)), next_step_of(model, rule)
    previous, state = np.full_like(longest, SOS), model.start(model.encode(source, source_mask))
    while True:
        possible, state = next_step(previous, state, live_rows.live())
        step = _advance(live_rows, possible, config.beam_size, finished)
        if observer is not None:
            observer(step.record(live_rows.step, float(penalty[live_rows.step + 1])))
        parents = step.live.parents
        if not len(parents):
            return finished.results
        rows = np.arange(len(live_rows.sentences))
        if len(parents) != len(rows) or (parents != rows).any():  # np.array_equal is slow enough to be noticed
            state = state.select(parents)
        live_rows, previous = live_rows.extend(step.live), step.live.tokens


@dataclass(frozen=True)
class _Step:
    """What became of the candidates of one step."""

    live: Candidates
    """The candidates that live on, flat [C]."""
    candidates: Candidates
    """All candidates of the step, [N, C]."""
    living: NDArray[np.bool_]
    """[N, C], which candidates live on."""
    ending: NDArray[np.bool_]
    """[N, C], which candidates are finished."""

    def record(self, step: int, penalty: float) -> StepRecord:
        """The step as an observer is shown it. step: the parents' tokens; penalty: that of the candidates' length."""
        among = self.candidates.totals > NEVER
        pruned = self.candidates.where(among & ~self.living & ~self.ending)

        def ranked(candidates: Candidates) -> Ranked:
            return Ranked(candidates, candidates.totals / penalty)

        return StepRecord(step, ranked(self.live), ranked(self.candidates.where(self.ending)), ranked(pruned))


def _advance(live_rows: LiveRows, possible: Continuations, beam_size: int, finished: Finished) -> _Step:
    """What may come next → which candidates live on, and which are finished; these are added to `finished`."""
    # of 2K candidates at most K end (one for each parent), so K others remain
    candidates = _expand(live_rows, possible, 2 * beam_size)
    living, ending = (np.empty(candidates.totals.shape, np.bool_) for _ in range(2))
    # a hypothesis must reach its end among the best K, as it would have to go on living
    if sort_out(candidates.totals, candidates.tokens, EOS, beam_size, living, ending):
        finished.add(candidates.where(ending), live_rows)
    finished.give_up(candidates, living)
    live = candidates.where(living)
    if not living.any(1).all():
        finished.add_dead_ends(live, live_rows)
    return _Step(live, candidates, living, ending)


def _expand(live_rows: LiveRows, possible: Continuations, count: int) -> Candidates:
    """Every sentence's best continuations, at most `count`, best first: fields [N, C]."""
    starts = live_rows.starts
    parents, tokens, values, totals = possible.best_continuations(live_rows.totals, starts, count)
    sentences = np.repeat(live_rows.sentences[starts[:-1], None], count, axis=1)
    return Candidates(sentences, parents, tokens, values, totals)
