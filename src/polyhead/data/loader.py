"""Batches for training, epoch after epoch, from any position on, made ahead in the background."""

import queue
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from polyhead.batch import Batch
from polyhead.data.batching import BatchingConfig, Draw, batches
from polyhead.data.store import EncodedCorpus, Ids
from polyhead.errors import PolyheadError
from polyhead.symbols import EOS, PAD, SOS

LAST = 1 << 53
"""No epoch and no batch has a number above this."""
_AHEAD = 4  # batches waiting; enough to hide one slow batch, few enough to cost no memory


@dataclass(frozen=True, slots=True)
class Position:
    """A place between two batches: so many batches of this epoch have been taken."""

    epoch: Annotated[int, Field(ge=0, le=LAST)] = 0
    batch: Annotated[int, Field(ge=0, le=LAST)] = 0


@dataclass(frozen=True)
class _Failure:
    error: BaseException


def collate_rows(corpus: EncodedCorpus, draw: Draw) -> Batch:
    """The batch of some sentences of a corpus: `batch.collate`, faster, and as wide as was drawn."""
    sources = [corpus.source(int(row)) for row in draw.rows]
    targets = [corpus.target(int(row)) for row in draw.rows]
    return Batch(
        source=_pad(sources, draw.source_width, after=EOS),
        target_in=_pad(targets, draw.target_width, before=SOS),
        target_out=_pad(targets, draw.target_width, after=EOS),
        rows=tuple(draw.rows.tolist()),
    )


def _pad(sentences: list[Ids], width: int, before: int | None = None, after: int | None = None) -> Tensor:
    """[B, width] int64: each row one special token before or after the sentence, and padding on the right."""
    lengths = np.fromiter((len(sentence) for sentence in sentences), np.int64, len(sentences))
    padded = np.full((len(sentences), width), PAD, np.int64)
    shift = 0 if before is None else 1
    columns = np.arange(width)[None, :] - shift
    if sentences:
        padded[(columns >= 0) & (columns < lengths[:, None])] = np.concatenate(sentences)
    if before is not None:
        padded[:, 0] = before
    if after is not None:
        padded[np.arange(len(sentences)), lengths] = after
    return torch.as_tensor(padded)


class Loader:
    """Endless batches, the same for the same seed from any position on.

    corpus_for_epoch: the corpus to read in an epoch; asked once an epoch, in a background thread. It must give the same
        for the same epoch.
    """

    def __init__(self, corpus_for_epoch: Callable[[int], EncodedCorpus], config: BatchingConfig, seed: int) -> None:
        self._corpus_for_epoch = corpus_for_epoch
        self._config = config
        self._seed = seed
        self._lock = threading.Lock()
        self._drawn: dict[int, tuple[EncodedCorpus, list[Draw]]] = {}

    def epoch_batches(self, epoch: int) -> int:
        """How many batches an epoch has."""
        return len(self._draw(epoch)[1])

    def stream(self, start: Position) -> Generator[tuple[Position, Batch], None, None]:
        """Batches from `start` on, without end, each with the position after it, which a checkpoint stores.

        Close it (`contextlib.closing`) when done with it: that ends the background thread. What goes wrong there is
        raised here.
        """
        ready: queue.Queue[tuple[Position, Batch] | _Failure] = queue.Queue(_AHEAD)
        stopped = threading.Event()
        maker = threading.Thread(target=self._fill, args=(ready, stopped, start), name="polyhead-batches", daemon=True)
        maker.start()
        try:
            while True:
                item = ready.get()
                if isinstance(item, _Failure):
                    raise item.error
                yield item
        finally:
            stopped.set()
            maker.join()

    def _fill(
        self, ready: "queue.Queue[tuple[Position, Batch] | _Failure]", stopped: threading.Event, start: Position
    ) -> None:
        try:
            for item in self._make(start):
                if not _put(ready, item, stopped):
                    return
        except BaseException as error:  # raised again where the batches are taken
            _put(ready, _Failure(error), stopped)

    def _make(self, position: Position) -> Generator[tuple[Position, Batch], None, None]:
        while True:
            corpus, drawn = self._draw(position.epoch)
            if position.batch > len(drawn):
                raise PolyheadError(
                    f"Epoch {position.epoch} has {len(drawn)} batches, so none can follow number {position.batch}:"
                    " the data or the batching are not those of the run that stored this position."
                )
            for number in range(position.batch, len(drawn)):
                last = number + 1 == len(drawn)
                after = Position(position.epoch + 1, 0) if last else Position(position.epoch, number + 1)
                yield after, collate_rows(corpus, drawn[number])
            position = Position(position.epoch + 1, 0)

    def _draw(self, epoch: int) -> tuple[EncodedCorpus, list[Draw]]:
        """The corpus and the batches of an epoch; the last two epochs asked for are kept."""
        with self._lock:
            if epoch not in self._drawn:
                corpus = self._corpus_for_epoch(epoch)
                if not len(corpus):
                    raise PolyheadError("There are no sentence pairs to make batches of.")
                drawn = batches(corpus.source_lengths, corpus.target_lengths, self._config, self._seed, epoch)
                while len(self._drawn) > 1:
                    del self._drawn[next(iter(self._drawn))]
                self._drawn[epoch] = corpus, drawn
            return self._drawn[epoch]


def _put(
    ready: "queue.Queue[tuple[Position, Batch] | _Failure]",
    item: tuple[Position, Batch] | _Failure,
    stopped: threading.Event,
) -> bool:
    """Wait for room; False if the taker has gone."""
    while not stopped.is_set():
        try:
            ready.put(item, timeout=0.1)
            return True
        except queue.Full:
            continue
    return False
