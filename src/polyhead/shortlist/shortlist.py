"""For each source piece, the target pieces that may come of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Tokens = NDArray[np.int64]


@dataclass(frozen=True)
class Shortlist:
    """A row of target pieces for every source piece; a sentence may be translated with what its pieces' rows have.

    `<eos>` ends every source, so its row is what any sentence may need; a language tag's, what that language may need.
    """

    offsets: Tokens
    """[V source + 1]: the row of source piece s is `tokens[offsets[s]:offsets[s + 1]]`."""
    tokens: NDArray[np.int32]
    """[all entries]; ids of target pieces, in ascending order within a row."""
    fixed: int
    """How many specials and language tags come first of the target pieces; every list has them, with their ids."""
    target_vocabulary: int
    """How many pieces the target vocabulary has."""

    @property
    def source_vocabulary(self) -> int:
        """How many pieces the source vocabulary has."""
        return len(self.offsets) - 1

    def of(self, source: Sequence[int], prefix: Sequence[int] = ()) -> Tokens:
        """The target pieces, in ascending order, for a source as the model reads it: with its tag and `<eos>`.

        prefix: target pieces that the translation must begin with, so the list has them
        """
        rows = [self.tokens[self.offsets[piece] : self.offsets[piece + 1]] for piece in set(source)]
        found = np.concatenate([np.arange(self.fixed), np.asarray(prefix, np.int64), *rows])
        return np.unique(found).astype(np.int64)
