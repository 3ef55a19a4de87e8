"""What every translation driver has in common: text in, text out, and a watch on it."""

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from wire import Answer, serve

EXTRA_TOKENS = 50
"""Tokens that an output may have beyond its batch's longest source, as in the paper (section 6.1)."""


class System(Protocol):
    """A loaded translator."""

    def translate(self, sentences: Sequence[str], beam_size: int, batch: int | None) -> list[str]:
        """One translation a sentence, in order; beam 1 is greedy. Scores are divided by the length in tokens."""
        ...


def serve_translation(load: Callable[..., System]) -> None:
    """Answers the runner; `load` gets the model's folder, the vocabulary's path and the setting."""
    systems: list[System] = []

    def prepare(model: str, vocabulary: str, setting: dict[str, Any], first: str) -> Answer:
        """Loads, and translates one sentence, so that whatever is made at first use has been made."""
        systems.append(load(model, vocabulary, setting))
        start = time.perf_counter()
        systems[0].translate([first], 1, 1)
        return {"first_seconds": time.perf_counter() - start, "said": getattr(systems[0], "said", None)}

    def translate(sentences: list[str], beam_size: int, batch: int | None) -> Answer:
        start = time.perf_counter()
        outputs = systems[0].translate(sentences, beam_size, batch)
        peaks = getattr(systems[0], "peaks", dict)()  # for who computes on a GPU
        return {"seconds": time.perf_counter() - start, "outputs": outputs, **peaks}

    def one_by_one(sentences: list[str], beam_size: int) -> Answer:
        seconds: list[float] = []
        for sentence in sentences:
            start = time.perf_counter()
            systems[0].translate([sentence], beam_size, 1)
            seconds.append(time.perf_counter() - start)
        return {"seconds": seconds}

    serve({"prepare": prepare, "translate": translate, "one_by_one": one_by_one})


def by_length(lengths: Sequence[int], batch: int) -> list[list[int]]:
    """Row numbers in batches of like length, the longest first."""
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    return [order[start : start + batch] for start in range(0, len(order), batch)]
