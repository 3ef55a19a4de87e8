"""polyhead: `Translator`, as `polyhead translate` uses it."""

import inspect
from collections.abc import Sequence
from typing import Any

from plain_translation import serve_translation
from polyhead.decoding.config import BeamConfig, GreedyConfig
from polyhead.translator import Translator


class Polyhead:
    """A loaded model."""

    def __init__(self, model: str, _: str, setting: dict[str, Any]) -> None:
        known = inspect.signature(Translator.load).parameters
        if "dtype" not in known and setting["dtype"] not in ("auto", "float32"):
            raise ValueError(f"this version has no engine for {setting['dtype']}")
        options = {"dtype": setting["dtype"]} if "dtype" in known else {}
        self.translator = Translator.load(model, **options)
        engine = getattr(self.translator, "engine", None)
        self.said = str(engine) if engine is not None else None

    def translate(self, sentences: Sequence[str], beam_size: int, batch: int | None) -> list[str]:
        """Batches are the translator's own affair."""
        del batch
        search = GreedyConfig() if beam_size == 1 else BeamConfig(beam_size=beam_size, length_penalty="average")
        return [translation.text for translation in self.translator.translate(sentences, search=search)]


if __name__ == "__main__":
    serve_translation(Polyhead)
