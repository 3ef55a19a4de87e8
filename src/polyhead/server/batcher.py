"""One model's thread: it decodes the texts of whatever requests wait, together, and runs errands one by one.

Requests come from the event loop; their answers are futures, which cancel the work when nobody waits for them any more:
before it is decoded, or at the next step of the search when the whole batch is unwanted.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from polyhead.inline.codes import Marked
from polyhead.memory.freed import trim
from polyhead.server.metrics import Metrics
from polyhead.server.problems import Problem, TooManyTexts
from polyhead.server.settings import ServerConfig
from polyhead.server.waiting import Batch, Errand, Item, Request, Task, Wish, is_wanted, next_batch
from polyhead.translating.translation import Translation
from polyhead.translating.translator import Translator

R = TypeVar("R")

CHARACTERS_A_TOKEN = 4
"""About how many characters a subword has. The translator itself counts tokens exactly."""
TIDY_EVERY = 10.0
"""Seconds after which freed memory goes back to the system, between two batches."""


class Unwanted(Exception):
    """Ends a search whose clients have all left."""


class Batcher:
    """The queue and the thread of one model. `use` gives the model for as long as it is needed."""

    def __init__(
        self, name: str, use: Callable[[], AbstractContextManager[Translator]], config: ServerConfig, metrics: Metrics
    ) -> None:
        self.name = name
        self._use = use
        self._config = config
        self._metrics = metrics
        self._waiting: list[Task] = []
        self._changed = threading.Condition()
        self._closed = False
        self._rate = 10.0  # texts a second, a moving mean
        self._thread = threading.Thread(target=self._work, name=f"model {name}", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many texts and errands wait."""
        return len(self._waiting)

    def translate(self, texts: Sequence[str | Marked], wish: Wish) -> "Future[list[Translation]]":
        """Queues texts; the future gives their translations in order. Raises Problem queue_full if they don't fit."""
        request = Request(texts, wish, Future(), [None] * len(texts))
        if not texts:
            request.answer.set_result([])
        self._enter([Item(request, number) for number in range(len(texts))])
        return request.answer

    def run(self, do: Callable[[Translator], R]) -> "Future[R]":
        """Queues `do`, which is called alone with the model; the future gives its result. Raises Problem queue_full."""
        answer: Future[R] = Future()
        self._enter([Errand(do, answer)])
        return answer

    def close(self) -> None:
        """Finishes what is waiting, then ends the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _enter(self, tasks: Sequence[Task]) -> None:
        with self._changed:
            if self._closed:
                raise Problem("model_unavailable", "the server is shutting down")
            if len(self._waiting) + len(tasks) > self._config.max_waiting:
                self._waiting = [task for task in self._waiting if is_wanted(task)]
            if len(self._waiting) + len(tasks) > self._config.max_waiting:
                raise self._full(len(tasks))
            self._waiting.extend(tasks)
            self._metrics.waiting.labels(self.name).set(len(self._waiting))
            self._changed.notify()

    def _full(self, asked: int) -> Problem:
        if asked > self._config.max_waiting:
            most = self._config.max_waiting
            return TooManyTexts(
                "too_large", f"{asked} texts at once are too many: at most {most} wait; send fewer at a time"
            )
        seconds = min(60, max(1, round(len(self._waiting) / self._rate)))
        return Problem(
            "queue_full",
            f"{len(self._waiting)} texts are waiting already; try again in {seconds} s",
            headers={"Retry-After": str(seconds)},
        )

    def _work(self) -> None:
        tidied = time.monotonic()
        while (batch := self._take()) is not None:
            if isinstance(batch, Errand):
                self._run(batch)
            else:
                self._translate(batch)
            if time.monotonic() - tidied > TIDY_EVERY:
                trim()
                tidied = time.monotonic()

    def _take(self) -> Batch | None:
        """Waits for something to do; None when the batcher is closed and everything is done."""
        with self._changed:
            while True:
                self._waiting = [task for task in self._waiting if is_wanted(task)]
                if self._waiting:
                    break
                self._metrics.waiting.labels(self.name).set(0)
                if self._closed:
                    return None
                self._changed.wait()
            batch = next_batch(self._waiting, CHARACTERS_A_TOKEN * self._config.batch_tokens)
            taken = {id(batch)} if isinstance(batch, Errand) else {id(item) for item in batch}
            self._waiting = [task for task in self._waiting if id(task) not in taken]
            self._metrics.waiting.labels(self.name).set(len(self._waiting))
            return batch

    def _run(self, errand: Errand) -> None:
        try:
            with self._use() as translator:
                result = errand.do(translator)
        except BaseException as error:  # the client must hear of it, and the thread must go on
            _fail(errand.answer, error)
        else:
            _settle(errand.answer, result)

    def _translate(self, items: Sequence[Item]) -> None:
        begun = time.perf_counter()
        requests = {id(item.request): item.request for item in items}.values()
        try:
            with self._use() as translator:
                found = _decode(translator, items, self._config.batch_tokens)
        except Unwanted:
            return
        except BaseException as error:  # the clients must hear of it, and the thread must go on
            for request in requests:
                _fail(request.answer, error)
            return
        seconds = time.perf_counter() - begun
        self._rate += 0.2 * (len(items) / seconds - self._rate)
        self._metrics.batches.labels(self.name).observe(len(items))
        for item, translation in zip(items, found, strict=True):
            item.request.found[item.number] = translation
        for request in requests:
            complete = [each for each in request.found if each is not None]
            if len(complete) == len(request.texts):
                _settle(request.answer, complete)


def _decode(translator: Translator, items: Sequence[Item], batch_tokens: int) -> list[Translation]:
    wish = items[0].request.wish
    search = translator.config.decoding.model_copy(update=wish.settings)

    def check() -> None:
        if not any(is_wanted(item) for item in items):
            raise Unwanted

    return translator.translate(
        [item.text for item in items],
        search=search,
        beam_size=wish.beam_size,
        n_best=wish.n_best,
        target_language=wish.target_language,
        split=wish.split,
        batch_tokens=batch_tokens,
        check=check,
    )


def _settle(answer: "Future[Any]", result: object) -> None:
    """Gives the answer, unless its client leaves at this very moment."""
    if answer.set_running_or_notify_cancel():
        answer.set_result(result)


def _fail(answer: "Future[Any]", error: BaseException) -> None:
    if not answer.done() and answer.set_running_or_notify_cancel():
        answer.set_exception(_passed_on(error))


def _passed_on(error: BaseException) -> Exception:
    """The error, or a RuntimeError caused by it where it is no Exception: such a one would get no answer sent.

    Not even SystemExit and KeyboardInterrupt end a model's thread: signals come to the main thread, and `close` is how
    that ends it.
    """
    if isinstance(error, Exception):
        return error
    found = RuntimeError(f"the model's thread had {type(error).__name__}: {error}")
    found.__cause__ = error
    return found
