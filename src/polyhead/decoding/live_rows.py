"""The live hypotheses of a search. Shapes: R live rows, t tokens so far, C candidates."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.decoding.candidates import Candidates
from polyhead.decoding.compiled.beams import starts_of
from polyhead.decoding.compiled.vocabulary import continue_all
from polyhead.decoding.hypothesis import Hypothesis, hypothesis
from polyhead.decoding.rules import Live


class LiveRows(NamedTuple):
    """Unfinished hypotheses, a sentence's rows next to each other, best first."""

    prefixes: NDArray[np.int64]
    """[R, t], the tokens so far without `<sos>`."""
    sentences: NDArray[np.int64]
    """[R], the sentence of the batch that a row translates, ascending."""
    history: NDArray[np.float32]
    """[R, t], log-probabilities of the tokens so far."""
    totals: NDArray[np.float64]
    """[R], the sum of each row's log-probabilities."""

    @staticmethod
    def begin(sentences: int) -> "LiveRows":
        """An empty hypothesis for each sentence; sentences: how many there are."""
        numbers, nothing = np.arange(sentences), np.empty((sentences, 0), np.float32)
        return LiveRows(nothing.astype(np.int64), numbers, nothing, np.zeros(sentences))

    def extend(self, chosen: Candidates) -> "LiveRows":
        """The live rows after a step: the hypotheses that the chosen candidates [C] are."""
        candidates = chosen.parents, chosen.tokens, chosen.log_probabilities
        shape = len(chosen.tokens), self.step + 1
        prefixes, history = np.empty(shape, np.int64), np.empty(shape, np.float32)
        continue_all(self.prefixes, self.history, *candidates, prefixes, history)
        return LiveRows(prefixes, chosen.sentences, history, chosen.totals)

    def ended(self, row: int, log_probability: float, total: float, penalties: NDArray[np.float64]) -> Hypothesis:
        """The finished hypothesis of a row: log P of its `<eos>`, log P of the whole, the penalty of every length."""
        written, score = np.append(self.history[row], log_probability), total / float(penalties[self.step + 1])
        return hypothesis(self.prefixes[row], written, total, score, finished=True)

    def unfinished(self, row: int, penalties: NDArray[np.float64]) -> Hypothesis:
        """The unfinished hypothesis of a row that the rules leave no token; penalties: of every length."""
        total = float(self.totals[row])
        score = total / float(penalties[self.step])
        return hypothesis(self.prefixes[row], self.history[row], total, score, finished=False)

    @property
    def step(self) -> int:
        """t, how many tokens every row has."""
        return self.prefixes.shape[1]

    @property
    def starts(self) -> NDArray[np.int64]:
        """[N + 1], where each sentence's rows begin, and where the last one's end."""
        starts = np.empty(len(self.sentences) + 1, np.int64)
        return starts[: starts_of(self.sentences, starts) + 1]

    def live(self) -> Live:
        """The live rows as the rules are shown them."""
        return Live(self.prefixes, self.sentences)
