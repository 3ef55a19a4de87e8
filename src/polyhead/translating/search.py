"""Searching for the translations of many pieces: pieces of like length together, a batch to each core."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from polyhead.batch import padded, real
from polyhead.decoding.config import SearchConfig
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.rules import Rule
from polyhead.decoding.search import search as run_search
from polyhead.decoding.search import width
from polyhead.decoding.trace import Observer
from polyhead.decoding.workers import batches_for_workers, side_by_side
from polyhead.shortlist.search import ShortlistSearch
from polyhead.symbols import EOS
from polyhead.translating.translation import Piece


@dataclass(frozen=True)
class PieceSearch:
    """How the translations of pieces are searched for."""

    engine: Any
    """The model or ensemble that is searched, a `Searchable`."""
    shortlisted: ShortlistSearch | None
    """What searches in the engine's place where there is a shortlist."""
    rules: Sequence[Rule]
    """The rules that every search keeps to on top of its settings."""
    config: SearchConfig
    batch_tokens: int
    """Padded source tokens × hypotheses decoded together."""
    observer: Observer | None = None
    """Is shown every step of every beam search, one search after the other."""
    check: Callable[[], None] | None = None
    """Called at every step, from whatever thread searches."""

    def run(
        self, pieces: Sequence[Piece], texts: int, progress: Callable[[int], None] | None
    ) -> list[list[Hypothesis]]:
        """The hypotheses of each piece, best first. `progress` is told how many more `texts` are done."""
        found: list[list[Hypothesis]] = [[] for _ in pieces]
        waiting = Counter(piece.text for piece in pieces)
        done = texts - len(waiting)  # blank texts have nothing to wait for
        lengths = [len(piece.tokens) + 1 for piece in pieces]
        chunks = batches_for_workers(lengths, max(1, self.batch_tokens // width(self.config)))

        def decode(chunk: list[int]) -> list[list[Hypothesis]]:
            return self._decode([pieces[i] for i in chunk], chunk)

        results = side_by_side(decode, chunks) if self.observer is None else map(decode, chunks)
        for chunk, decoded in zip(chunks, results, strict=True):
            for i, hypotheses in zip(chunk, decoded, strict=True):
                found[i] = hypotheses
                waiting[pieces[i].text] -= 1
                done += waiting[pieces[i].text] == 0
            if progress is not None:
                progress(done)
            done = 0
        if not chunks and progress is not None:
            progress(done)
        return found

    def _decode(self, pieces: Sequence[Piece], keys: Sequence[int]) -> list[list[Hypothesis]]:
        source = [[*piece.tokens, EOS] for piece in pieces]
        prefixes = [piece.prefix for piece in pieces] if any(piece.prefix for piece in pieces) else ()
        search = partial(run_search, self.engine) if self.shortlisted is None else self.shortlisted
        return search(
            padded(source),
            real(source),
            self.config,
            sentences=keys,
            rules=self.rules,
            prefixes=prefixes,
            observer=self.observer,
            check=self.check,
        )
