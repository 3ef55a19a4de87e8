"""BPE dropout: each possible merge is passed over now and then.

The merging is a kernel, which leaves the interpreter to the training beside it. Here texts become symbols and symbols
become ids. A symbol is a piece or a character that pieces are made of; any other character is -1 - its code.
"""

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise

import numpy as np

from polyhead.kernels.dropout import drop_threshold
from polyhead.tokenizers.merge_kernel import Merges, merge
from polyhead.tokenizers.sampling import Inventory, marked

_CODES = 0x110000
"""How many codes Unicode's characters may have."""
_UNSPELLED = -1


class MergeDropout:
    """Draws segmentations by BPE dropout (Provilkov et al. 2020, algorithm 1)."""

    def __init__(self, inventory: Inventory, dropout: float) -> None:
        """dropout: above 0 and below 1"""
        self.inventory = inventory
        self.dropped = drop_threshold(dropout)
        self._symbols = list(dict.fromkeys(chain(inventory.scores, *inventory.scores)))
        numbers = {symbol: number for number, symbol in enumerate(self._symbols)}
        self._merges = _merges(inventory.scores, numbers)
        known = (inventory.ids[symbol] if symbol in inventory.scores else _UNSPELLED for symbol in self._symbols)
        self._ids = np.array([*known, _UNSPELLED], np.int64)
        """A symbol's id; the last one is for every negative symbol."""
        self._of_character = np.arange(-1, -1 - _CODES, -1, dtype=np.int32)
        for symbol, number in numbers.items():
            if len(symbol) == 1:
                self._of_character[ord(symbol)] = number

    def sample(self, texts: Sequence[str], seed: int) -> list[list[int]]:
        """The ids of one segmentation of each text."""
        written = [marked(text) for text in texts]
        codes = np.frombuffer("".join(written).encode("utf-32-le", "surrogatepass"), np.uint32)
        symbols, ends = self._of_character[codes], np.cumsum([len(text) for text in written], dtype=np.int64)
        space = int(self._of_character[ord("▁")])
        merge(symbols, ends, space, self._merges, self.dropped, np.uint64(seed % 2**64))
        ids = self._ids[np.maximum(symbols, _UNSPELLED)].tolist()
        sampled: list[list[int]] = []
        for start, end in pairwise([0, *ends.tolist()]):
            sentence = ids[start:end]
            sampled.append(sentence if _UNSPELLED not in sentence else self._spelled(symbols[start:end].tolist()))
        return sampled

    def _spelled(self, symbols: list[int]) -> list[int]:
        pieces = [self._symbols[symbol] if symbol >= 0 else chr(-1 - symbol) for symbol in symbols]
        return [i for piece in pieces for i in self.inventory.spelled(piece)]


def _merges(scores: Mapping[str, float], numbers: Mapping[str, int]) -> Merges:
    """Every way in which a piece is made of two symbols."""
    pairs = sorted(
        (numbers[piece[:cut]], numbers[piece[cut:]], numbers[piece], score)
        for piece, score in scores.items()
        for cut in range(1, len(piece))
        if piece[:cut] in numbers and piece[cut:] in numbers
    )
    lefts, rights, merged, ranks = np.array(pairs, np.float64).reshape(-1, 4).T  # exact: all numbers are below 2⁵³
    starts = np.searchsorted(lefts, np.arange(len(numbers) + 1)).astype(np.int64)
    return Merges(starts, rights.astype(np.int32), merged.astype(np.int32), ranks.copy())
