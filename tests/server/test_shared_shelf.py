"""What several processes keep together in a directory."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from polyhead.server.shared_shelf import SharedShelf
from polyhead.server.shelf import Limits

LIMITS = Limits(10_000, 3600, 3)


def test_what_one_process_keeps_another_one_finds(tmp_path):
    code = (
        "from pathlib import Path; from polyhead.server.shared_shelf import SharedShelf; "
        "from polyhead.server.shelf import Limits; "
        f"SharedShelf(Path({str(tmp_path)!r}), Limits(10_000, 3600)).put('../a key', {{'number': 3}}, 1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    shelf = SharedShelf(tmp_path, LIMITS)
    assert shelf.get("../a key") == {"number": 3}
    assert shelf.get("another") is None
    assert [path.parent for path in tmp_path.iterdir()] == [tmp_path]
    other = SharedShelf(tmp_path, LIMITS)
    assert other.delete("../a key")
    assert shelf.get("../a key") is None, "what this process has at hand is gone, too"
    assert shelf.was_there("../a key")
    assert not shelf.was_there("another")


def test_the_oldest_go_first_and_the_time_is_up_at_some_time(tmp_path):
    now = [1000.0]
    shelf = SharedShelf[int](tmp_path, LIMITS, lambda: now[0])
    for number in range(4):
        now[0] += 1
        shelf.put(str(number), number, 1)
    assert [shelf.get(str(number)) for number in range(4)] == [None, 1, 2, 3]
    now[0] += 3598
    assert shelf.get("2", renew=True) == 2
    now[0] += 3
    assert [shelf.get(str(number)) for number in (1, 2, 3)] == [None, 2, None]
    assert shelf.was_there("1")


def test_nothing_but_values_counts(tmp_path):
    shelf = SharedShelf[bytes](tmp_path, Limits(200, 3600))
    for key in "ab":
        shelf.put(key, bytes(150), 150)
    assert 150 <= shelf.nbytes < 200
    assert shelf.get("b") == bytes(150)
    assert shelf.get("a") is None


def test_what_cannot_be_kept_leaves_nothing(tmp_path, monkeypatch):
    def fail(*paths):
        raise OSError(errno.ENOSPC, "No space left on device")

    shelf = SharedShelf[bytes](tmp_path, LIMITS)
    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        shelf.put("a", bytes(150), 150)
    assert list(tmp_path.iterdir()) == []
    assert shelf.get("a") is None
