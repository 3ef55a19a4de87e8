"""Whole files: read by what knows their format, their texts translated beside everybody else's, and written again."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol

from polyhead.inline.codes import Marked
from polyhead.server.batcher import Batcher, Unwanted
from polyhead.server.checks import check_texts
from polyhead.server.problems import Problem
from polyhead.server.settings import ServerConfig
from polyhead.server.waiting import Wish
from polyhead.translating.translation import Translation

Translate = Callable[[Sequence[Marked]], Sequence[Translation]]
"""Translates texts: gives one translation a text, in order."""


@dataclass(frozen=True)
class TranslatedFile:
    """A file in translation, in its own format."""

    content: bytes
    problems: tuple[str, ...] = ()
    """What the user should check in the file, a sentence each."""


class TranslateDocument(Protocol):
    """What translates a file: it reads the texts of `content`, has them translated, and writes them in their places."""

    def __call__(
        self,
        content: bytes,
        name: str,
        translate: Translate,
        target_language: str,
        source_language: str | None,
        kind: str | None = None,
    ) -> TranslatedFile:
        """The file in translation. Raises PolyheadError for one that can't be read; `kind` is its format if known."""
        ...


@dataclass(frozen=True)
class FileFormats:
    """The formats of files that a server translates."""

    suffixes: tuple[str, ...]
    """How their names usually end, in lower case, with the dot."""
    translate: TranslateDocument


class TextsOfFile:
    """Translates the texts of one file, some at a time, so that other clients' texts have their turn between them.

    It is called in a thread of its own, and ended from another one.
    """

    def __init__(self, choose: Callable[[Sequence[str]], tuple[Batcher, Wish]], config: ServerConfig) -> None:
        """choose: the first texts → the model that translates the file, and how; it may have to detect the language"""
        self._choose = choose
        self._config = config
        self._deadline = time.monotonic() + config.file_timeout
        self._lock = threading.Lock()
        self._ended = False
        self._work: Future[list[Translation]] | None = None
        self._chosen: tuple[Batcher, Wish] | None = None

    def __call__(self, texts: Sequence[Marked]) -> list[Translation]:
        """Gives one translation a text, in order. Raises Problem, and Unwanted after `end`."""
        found: list[Translation] = []
        size = min(self._config.max_texts, self._config.max_waiting)
        for start in range(0, len(texts), size):
            found += self._translate(texts[start : start + size])
        return found

    def end(self) -> None:
        """Ends the translation, as nobody waits for the file any more."""
        with self._lock:
            self._ended = True
            if self._work is not None:
                self._work.cancel()

    def _translate(self, texts: Sequence[Marked]) -> list[Translation]:
        plain = [text.text for text in texts]
        check_texts(plain, self._config)
        if self._chosen is None:
            self._chosen = self._choose(plain)
        batcher, wish = self._chosen
        with self._lock:
            if self._ended:
                raise Unwanted
            self._work = work = batcher.translate(texts, wish)
        try:
            return work.result(max(0.0, self._deadline - time.monotonic()))
        except TimeoutError:
            work.cancel()
            seconds = self._config.file_timeout
            raise Problem("timeout", f"the file is not done within {seconds:g} s; send it in parts") from None
