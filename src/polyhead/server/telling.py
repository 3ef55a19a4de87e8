"""A translation that is told step by step while it comes about.

    encoder  {sentence}                  a sentence has been read
    step     {sentence, t, candidates}   what the beam made of its hypotheses
    done     {text, tokens, score, sentences}

A text of several sentences is translated one by one, in order.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from polyhead.decoding.trace import SearchTree, StepRecord
from polyhead.inline.codes import Marked
from polyhead.inspection.beam import step_json
from polyhead.server.scored import ranked
from polyhead.tokenizers.protocol import Tokenizer
from polyhead.translating.translation import Translation, join
from polyhead.translating.translator import Translator

Send = Callable[[str, dict[str, Any]], None]
"""Tells the client (event, data). Raises, and so ends the search, when nobody listens any more."""


@dataclass(frozen=True)
class Telling:
    """What is to be translated, and whom to tell."""

    text: str
    language: str | None
    beam_size: int | None
    send: Send

    def __call__(self, translator: Translator) -> None:
        """Translates the text, and tells of every step."""
        pieces = translator.pieces([self.text], self.language)
        parts: list[list[Translation]] = []
        for number, piece in enumerate(pieces):
            observer = _Observer(number, translator.bundle.target_tokenizer, self.send)
            parts.append(
                translator.translate(
                    [piece.content],
                    target_language=self.language,
                    beam_size=self.beam_size,
                    split="line",
                    observer=observer,
                )
            )
        whole = ranked(join(Marked(self.text), pieces, parts)).model_dump()
        self.send("done", {name: whole[name] for name in ("text", "tokens", "score", "sentences")})


class _Observer:
    """Tells the client of every step of one sentence's search."""

    def __init__(self, sentence: int, tokenizer: Tokenizer, send: Send) -> None:
        self._sentence = sentence
        self._tokenizer = tokenizer
        self._send = send
        self._tree = SearchTree()

    def __call__(self, record: StepRecord) -> None:
        """Tells of a step, and before the first that the encoder is done."""
        if record.step == 0:
            self._send("encoder", {"sentence": self._sentence})
        self._tree(record)
        self._send("step", {"sentence": self._sentence, **step_json(self._tree.steps[-1], self._tokenizer)})
