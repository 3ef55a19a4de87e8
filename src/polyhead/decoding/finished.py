"""The finished hypotheses of a beam search: each sentence's n best, and what it takes to get among them.

Shapes: B sentences, R live rows, t tokens so far, C candidates.
"""

import numpy as np
from numpy.typing import NDArray

from polyhead.decoding.candidates import Candidates
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.live_rows import LiveRows
from polyhead.decoding.rules import NEVER

Floats = NDArray[np.float64]


class Finished:
    """A list of at most `n_best` hypotheses for every sentence, best first; equal scores in order of arrival."""

    def __init__(self, n_best: int, enough: float, penalties: Floats, longest: NDArray[np.int64]) -> None:
        """enough: how many finished hypotheses end a sentence's search, however good the live ones are.

        penalties: the penalty of every length, `<eos>` included; longest [B]: the most tokens that each output may have
        """
        self.results: list[list[Hypothesis]] = [[] for _ in longest]
        self._n_best = n_best
        self._enough = enough
        self._penalties = penalties
        self._ceilings = penalties[longest + 1]  # [B]
        self._thresholds = np.full(len(longest), NEVER)  # [B], the score to beat; -inf while there is room
        self._counts = np.zeros(len(longest), np.int64)  # [B], finished hypotheses, among the n best or not

    def give_up(self, candidates: Candidates, living: NDArray[np.bool_]) -> None:
        """Sets living [N, C] to False where a candidate, however well it goes on, misses its sentence's n best.

        A sentence that has enough finished hypotheses gives up all its candidates.
        """
        if not self._counts.any():
            return
        sentences = candidates.sentences[:, 0]
        bounds = candidates.totals / self._ceilings[sentences, None]
        living &= bounds > self._thresholds[sentences, None]
        living &= (self._counts[sentences] < self._enough)[:, None]

    def add(self, done: Candidates, live_rows: LiveRows) -> None:
        """Enters candidates [C] that end in `<eos>`; `live_rows` are their parents."""
        np.add.at(self._counts, done.sentences, 1)
        scores = done.totals / self._penalties[live_rows.step + 1]
        for i in (scores > self._thresholds[done.sentences]).nonzero()[0].tolist():
            ending = int(done.parents[i]), float(done.log_probabilities[i]), float(done.totals[i])
            self._enter(int(done.sentences[i]), live_rows.ended(*ending, self._penalties))

    def add_dead_ends(self, survivors: Candidates, live_rows: LiveRows) -> None:
        """A sentence that has neither a survivor nor a result keeps the best of its live rows, unfinished.

        That happens where the rules exclude every token; an output is always given.
        """
        provided = self._counts > 0
        provided[survivors.sentences] = True
        for row in (~provided[live_rows.sentences]).nonzero()[0].tolist():
            sentence = int(live_rows.sentences[row])
            if not self.results[sentence]:
                self._enter(sentence, live_rows.unfinished(row, self._penalties))

    def _enter(self, sentence: int, new: Hypothesis) -> None:
        best = sorted([*self.results[sentence], new], key=lambda one: -one.score)[: self._n_best]
        self.results[sentence] = best
        if len(best) == self._n_best:
            self._thresholds[sentence] = best[-1].score
