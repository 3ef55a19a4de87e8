"""The finished hypotheses of a beam search: each sentence's n best, and what it takes to get among them.

Shapes: B sentences, R live rows, t tokens so far, C candidates.
"""

from typing import cast

import torch
from torch import Tensor

from polyhead.decoding.candidates import Candidates
from polyhead.decoding.hypothesis import Hypothesis, hypothesis
from polyhead.decoding.length_penalty import LengthPenalty
from polyhead.decoding.rules import NEVER, Live


class Finished:
    """A list of at most `n_best` hypotheses for every sentence, best first; equal scores in order of arrival."""

    def __init__(self, n_best: int, ceilings: Tensor) -> None:
        """ceilings [B] float64: the penalty of the longest output that each sentence may have."""
        self.results: list[list[Hypothesis]] = [[] for _ in range(len(ceilings))]
        self._n_best = n_best
        self._ceilings = ceilings
        self._thresholds = torch.full_like(ceilings, NEVER)  # [B], the score to beat; -inf while there is room
        self._some = torch.zeros_like(ceilings, dtype=torch.bool)

    def any(self, sentences: Tensor) -> Tensor:
        """sentences, int64 of any shape → bool, whether they have a finished hypothesis."""
        return self._some[sentences]

    def in_reach(self, candidates: Candidates) -> Tensor:
        """Whether each candidate, continued as well as can be, may still get among its sentence's n best."""
        bounds = candidates.totals / self._ceilings[candidates.sentences]
        return bounds > self._thresholds[candidates.sentences]

    def add(self, done: Candidates, live: Live, history: Tensor, scores: Tensor) -> None:
        """Enter candidates [C] that end in `<eos>`, with scores [C]; live and history [R, t] are their parents'."""
        better = scores > self._thresholds[done.sentences]
        done, scores = done.where(better), scores[better]
        written = torch.cat([history[done.parents], done.log_probabilities[:, None]], dim=1)
        sentences = cast("list[int]", done.sentences.tolist())
        for row, sentence in enumerate(sentences):
            tokens, log_probabilities = live.prefixes[done.parents[row]], written[row]
            self._enter(sentence, hypothesis(tokens, log_probabilities, done.totals[row], scores[row], finished=True))

    def add_dead_ends(
        self, survivors: Candidates, live: Live, history: Tensor, totals: Tensor, penalty: LengthPenalty
    ) -> None:
        """A sentence that has neither a survivor nor a result keeps the best of its live rows, unfinished.

        That happens where the rules exclude every token; an output is always given.
        """
        provided = self._some.index_fill(0, survivors.sentences, True)
        lost = cast("list[int]", (~provided[live.sentences]).nonzero()[:, 0].tolist())
        for row in lost:
            sentence = int(live.sentences[row])
            if not self.results[sentence]:
                score = totals[row] / penalty(totals.new_tensor(max(live.step, 1)))
                unfinished = hypothesis(live.prefixes[row], history[row], totals[row], score, finished=False)
                self._enter(sentence, unfinished)

    def _enter(self, sentence: int, new: Hypothesis) -> None:
        best = sorted([*self.results[sentence], new], key=lambda one: -one.score)[: self._n_best]
        self.results[sentence] = best
        self._some[sentence] = True
        if len(best) == self._n_best:
            self._thresholds[sentence] = best[-1].score
