"""What becomes of a shard whose translator raises something."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from polyhead.bulk.shard import Shard
from polyhead.bulk.work import work
from polyhead.translating.translation import Translation
from tests.bulk.echo import Echo


class Panic(BaseException):
    """What a library in another language may raise: no Exception."""


@dataclass(frozen=True)
class Failing(Echo):
    """Raises what it has."""

    error: BaseException | None = None

    def translations(self, texts: Sequence[Any]) -> list[Translation]:
        assert self.error is not None
        raise self.error


@pytest.fixture
def shard(tmp_path: Path) -> Shard:
    source = tmp_path / "a.txt"
    source.write_text("one\n")
    return Shard("a.txt", "lines", source, tmp_path / "out", 0, 0, 4, 0, 1)


@pytest.mark.parametrize("error", [ValueError("broken"), Panic("broken")])
def test_whatever_is_raised_is_told(shard: Shard, error: BaseException) -> None:
    outcome = work(Failing("model", error=error), shard)
    assert outcome.failure is not None
    assert f"polyhead failed ({type(error).__name__}: broken)" in outcome.failure
    assert not outcome.fatal
    assert not shard.out.exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
def test_what_asks_the_process_to_end_is_raised(shard: Shard, error: BaseException) -> None:
    with pytest.raises(type(error)):
        work(Failing("model", error=error), shard)
