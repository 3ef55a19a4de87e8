"""Batches from a corpus on the disk take memory for a window and not for the corpus."""

import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from polyhead.data.batching import BatchingConfig
from polyhead.data.loader import Loader, Position
from polyhead.data.readers import Pair
from polyhead.data.store import EncodedCorpus
from polyhead.data.stored.texts import StoredPairs, TextWriter


def mapped_megabytes() -> int:
    """What of files is in this process's memory."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssFile")) // 1024


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux what is in memory")
def test_an_epoch_in_windows_keeps_little_of_the_files_in_memory(tmp_path: Path) -> None:
    ids, offsets = np.full(200 * 100_000, 7, np.uint16), np.arange(100_001) * 200  # 38 MiB on each side
    EncodedCorpus(ids, offsets, ids, offsets).save(tmp_path)
    corpus = EncodedCorpus.open(tmp_path)
    before, most, pairs = mapped_megabytes(), 0, 0
    loader = Loader(lambda epoch: corpus, BatchingConfig(max_tokens=200_000, window=8_192), seed=1)
    with closing(loader.stream(Position())) as stream:
        for number, (after, batch) in enumerate(stream):
            pairs += len(batch.rows)
            most = max(most, mapped_megabytes()) if number % 10 == 0 else most
            if after.epoch:
                break
    assert pairs == 100_000
    assert most < before + 30


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux what is in memory")
@pytest.mark.parametrize("one_by_one", [False, True])
def test_texts_that_were_read_do_not_stay_in_memory(tmp_path: Path, one_by_one: bool) -> None:
    writer = TextWriter(tmp_path)
    for _ in range(100):
        writer.add([Pair("a dog " * 50, "un chien " * 50, None, "f:1")] * 1000)  # 72 MiB in all
    writer.close()
    pairs = StoredPairs(tmp_path)
    before, most = mapped_megabytes(), 0
    for number, _ in enumerate((pairs[row] for row in range(0, 100_000, 7)) if one_by_one else pairs):
        most = max(most, mapped_megabytes()) if number % 3000 == 0 else most
    assert most < before + 30
