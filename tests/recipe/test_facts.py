"""What is known of a training text is found out in one reading, and is the same in memory and on the disk."""

from pathlib import Path

import numpy as np
import pytest

from polyhead.data import statistics, suspicions
from polyhead.data.readers import Pair
from polyhead.data.statistics import CorpusStatistics
from polyhead.data.stored.texts import StoredPairs, TextWriter
from polyhead.recipe import facts as module
from polyhead.recipe.facts import Facts, fingerprint

LANGUAGES = ["ko", "de", None, "ko"]


def pairs(count: int) -> list[Pair]:
    """Every tenth has the same text on both sides, every hundredth a NUL."""
    found: list[Pair] = []
    for number in range(count):
        source = f"Satz {number} {'lang ' * (number % 7)}".strip()
        target = source if number % 10 == 0 else f"문장 {number}" + "\0" * (number % 100 == 1)
        found.append(Pair(source, target, LANGUAGES[number % 4], f"train:{number + 1}"))
    return found


class Seen(StoredPairs):
    """Counts the pairs that are read."""

    read = 0

    def _bytes(self, first: int, last: int) -> bytes:
        self.read += last - first
        return super()._bytes(first, last)


def stored(directory: Path, texts: list[Pair]) -> Seen:
    writer = TextWriter(directory)
    if texts:
        writer.add(texts)
    writer.close()
    return Seen(directory)


@pytest.mark.parametrize("count", [0, 1, 3, 1234])
def test_a_stored_corpus_is_read_once(count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for each, name, most in (
        (module, "_AT_A_TIME", 100),
        (statistics, "LOOKED_AT", 777),
        (suspicions, "LOOKED_AT", 650),
    ):
        monkeypatch.setattr(each, name, most)
    texts, weights = pairs(count), np.linspace(1.0, 3.0, max(1, count))
    on_disk = stored(tmp_path, texts)
    found = Facts.of(on_disk, weights)
    assert on_disk.read == count
    assert found == Facts.of(texts, weights)


def test_the_facts_are_those_of_all_pairs() -> None:
    texts = pairs(1234)
    found = Facts.of(texts, None)
    assert found.sha256 == fingerprint(texts)
    assert found.languages == ("de", "ko")
    assert found.unnamed == "train:3"
    assert found.statistics == CorpusStatistics.of(texts)
    assert found.suspicions == tuple(suspicions.suspicions(texts))
    assert [sentence.split()[0] for sentence in found.suspicions[:2]] == ["124", "13"]


def test_where_all_pairs_name_their_language_none_is_unnamed() -> None:
    assert Facts.of([Pair("a", "b", "ko", "f:1")], None).unnamed is None
