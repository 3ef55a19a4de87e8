"""The candidates of a beam search: live hypotheses, each continued by one token.

A search keeps its records in NumPy arrays: these are small, and hundreds of PyTorch operations a sentence would take
more time than the model. Shapes: N sentences still searched, C candidates.
"""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray


class Candidates(NamedTuple):
    """Candidates as arrays of one shape, [N, C] or flat [C]."""

    sentences: NDArray[np.int64]
    """The sentence of the batch that the candidate translates."""
    parents: NDArray[np.int64]
    """The live row that is continued: an index into the previous step's live candidates."""
    tokens: NDArray[np.int64]
    """The token that the parent is continued with."""
    log_probabilities: NDArray[np.float32]
    """log P(token | parent, X)."""
    totals: NDArray[np.float64]
    """log P of the whole hypothesis; -inf for a candidate that the rules exclude."""

    def where(self, mask: NDArray[np.bool_]) -> Self:
        """mask of the fields' shape → the candidates where it is True, flat, in order."""
        places = mask.ravel().nonzero()[0]
        return type(self)(
            self.sentences.take(places),
            self.parents.take(places),
            self.tokens.take(places),
            self.log_probabilities.take(places),
            self.totals.take(places),
        )
