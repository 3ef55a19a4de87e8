"""A translator without a model, for worker processes: it writes in capitals, and dies where a line tells it to."""

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from polyhead.bulk.batch_translator import BatchTranslator
from polyhead.errors import ModelError
from polyhead.translating.translation import Translation

CONFIG = SimpleNamespace(source_languages=("en",), target_languages=("fr",))


@dataclass(frozen=True)
class Echo(BatchTranslator):
    """Marks in `marks` what it has done, so that it dies but once."""

    marks: Path = Path()
    seconds: float = 0.0

    def loaded(self) -> Any:
        return SimpleNamespace(config=CONFIG)

    def translations(self, texts: Sequence[Any]) -> list[Translation]:
        lines = [text if isinstance(text, str) else text.text for text in texts]
        (self.marks / f"process {os.getpid()}").touch()
        time.sleep(60 if "take long" in lines else self.seconds)
        for line in lines:
            mark = self.marks / line.replace(" ", "-")
            if line == "die always" or (line.startswith("die once") and not mark.exists()):
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            if line == "be wrong":
                raise ValueError("wrong")
            if line == "lose the model":
                raise ModelError("the model is lost")
        problems = [("doubtful",) * line.count("doubt") for line in lines]
        return [
            Translation(line.upper(), 0.0, 0.0, (), (), problems=each)
            for line, each in zip(lines, problems, strict=True)
        ]
