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
from polyhead.data.store import Corpus, EncodedCorpus, Ids
from polyhead.data.windows import Window, window_of
from polyhead.errors import PolyheadError
from polyhead.symbols import EOS, PAD, SOS

LAST = 1 << 53
"""No epoch and no batch has a number above this."""
OF_A_WINDOW = 1 << 32
"""The first batch of an epoch's window number w has the number w times this, as no window has so many batches. So a
batch's number alone says where to go on, and the windows before it need not be drawn again."""
_AHEAD = 4  # batches waiting; enough to hide one slow batch, few enough to cost no memory


@dataclass(frozen=True, slots=True)
class Position:
    """A place between two batches of an epoch: `batch` is the number of the next one, from 0 on.

    Where an epoch has several windows, the numbers of each begin at a multiple of `OF_A_WINDOW`.
    """

    epoch: Annotated[int, Field(ge=0, le=LAST)] = 0
    batch: Annotated[int, Field(ge=0, le=LAST)] = 0


@dataclass(frozen=True)
class _Part:
    """The batches of a window, and what they are made of."""

    window: Window
    corpus: EncodedCorpus
    draws: list[Draw]

    def after(self, number: int) -> Position:
        """The position after the batch with this number, from 0 on, of this window."""
        if number + 1 < len(self.draws):
            return Position(self.window.epoch, self.window.number * OF_A_WINDOW + number + 1)
        if self.window.is_last:
            return Position(self.window.epoch + 1, 0)
        return Position(self.window.epoch, (self.window.number + 1) * OF_A_WINDOW)


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

    corpus_for_epoch: an epoch → the corpus to read in it; called once an epoch, in a background thread. It must give
        the same corpus for the same epoch.
    """

    def __init__(self, corpus_for_epoch: Callable[[int], Corpus], config: BatchingConfig, seed: int) -> None:
        self._corpus_for_epoch = corpus_for_epoch
        self._config = config
        self._seed = seed
        self._lock = threading.Lock()
        self._corpora: dict[int, Corpus] = {}
        self._parts: dict[tuple[int, int], _Part] = {}

    def epoch_batches(self, epoch: int) -> int:
        """How many batches an epoch has."""
        windows = range(self._part(epoch, 0).window.count)
        return sum(len(self._part(epoch, window).draws) for window in windows)

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
            window, first = divmod(position.batch, OF_A_WINDOW)
            part = self._part(position.epoch, window)
            if window >= part.window.count or first > len(part.draws):
                raise PolyheadError(
                    f"Epoch {position.epoch} has {self.epoch_batches(position.epoch)} batches, so none can follow"
                    f" number {position.batch}: the data or the batching are not those of the run that stored this"
                    " position."
                )
            for number in range(first, len(part.draws)):
                yield part.after(number), collate_rows(part.corpus, part.draws[number])
            position = part.after(len(part.draws))

    def _part(self, epoch: int, number: int) -> _Part:
        """The batches of an epoch's window; the last two windows asked for are kept."""
        with self._lock:
            if (epoch, number) not in self._parts:
                made = self._draw(epoch, number)
                while len(self._parts) > 1:
                    del self._parts[next(iter(self._parts))]
                self._parts[epoch, number] = made
            return self._parts[epoch, number]

    def _draw(self, epoch: int, number: int) -> _Part:
        config, corpus = self._config, self._corpus(epoch)
        window = window_of(len(corpus), config.window, self._seed, epoch, number, shuffle=config.shuffle)
        some = corpus.within(window)
        if not len(some) and number == 0:
            raise PolyheadError("There are no sentence pairs to make batches of.")
        return _Part(window, some, batches(some.source_lengths, some.target_lengths, config, self._seed, window))

    def _corpus(self, epoch: int) -> Corpus:
        """An epoch's corpus, which is asked for once."""
        if epoch not in self._corpora:
            self._corpora = {epoch: self._corpus_for_epoch(epoch)}
        return self._corpora[epoch]


def _put(
    ready: "queue.Queue[tuple[Position, Batch] | _Failure]",
    item: tuple[Position, Batch] | _Failure,
    stopped: threading.Event,
) -> bool:
    """Puts an item into the queue once there is room → True, or False if nobody takes items any more."""
    while not stopped.is_set():
        try:
            ready.put(item, timeout=0.1)
            return True
        except queue.Full:
            continue
    return False
