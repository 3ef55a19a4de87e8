"""polyhead: `Translator`, as `polyhead translate` uses it."""

from collections.abc import Sequence
from typing import Any

from plain_translation import serve_translation
from polyhead.decoding.config import BeamConfig, GreedyConfig, SearchConfig
from polyhead.translating.translator import Translator


class Polyhead:
    """A loaded model."""

    def __init__(self, model: str, _: str, setting: dict[str, Any]) -> None:
        self.translator = Translator.load(model, engine=setting["engine"], dtype=setting["dtype"])
        self.patience = setting["patience"]
        self.said = ", ".join(str(choice) for choice in self.translator.choices)

    def translate(self, sentences: Sequence[str], beam_size: int, batch: int | None) -> list[str]:
        """Batches are the translator's own affair."""
        del batch
        search: SearchConfig = GreedyConfig()
        if beam_size > 1:
            search = BeamConfig(beam_size=beam_size, length_penalty="average", patience=self.patience)
        return [translation.text for translation in self.translator.translate(sentences, search=search)]


if __name__ == "__main__":
    serve_translation(Polyhead)
