"""Metrics on disk, and what a person sees."""

import errno
import io
import json
import resource
import sys
from pathlib import Path
from typing import Any

import pytest

from polyhead.errors import WriteError
from polyhead.training.log import (
    LiveDisplay,
    MetricsFile,
    PlainDisplay,
    SilentDisplay,
    describe,
    duration,
    make_display,
)

NUMBERS = {"update": 50, "epoch": 1, "loss": 4.56789, "target_tokens_per_second": 12345.6}


def test_a_silent_display_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    display = SilentDisplay()
    display.update(NUMBERS, 1.0)
    display.message("hello")
    display.close()
    assert capfd.readouterr() == ("", "")


def read(path: Path) -> list[dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def written(path: Path, *updates: int) -> None:
    file = MetricsFile(path)
    for update in updates:
        file.write({"update": update, "loss": 1.5})
    file.close()


def test_one_object_a_line_on_disk_at_once(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    file = MetricsFile(path)
    file.write(NUMBERS)
    assert read(path) == [NUMBERS]
    file.write({"update": 60, "dev_bleu": 30.0})
    assert read(path) == [NUMBERS, {"update": 60, "dev_bleu": 30.0}]
    file.close()


def test_a_new_run_starts_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    written(path, 10, 20)
    written(path, 30)
    assert [line["update"] for line in read(path)] == [30]


@pytest.mark.parametrize(
    ("resume_from", "kept"), [(0, []), (9, []), (20, [10, 20]), (25, [10, 20]), (99, [10, 20, 30])]
)
def test_resuming_drops_what_came_after_the_checkpoint(tmp_path: Path, resume_from: int, kept: list[int]) -> None:
    path = tmp_path / "metrics.jsonl"
    written(path, 10, 20, 30)
    file = MetricsFile(path, resume_from)
    file.write({"update": 1000})
    file.close()
    assert [line["update"] for line in read(path)] == [*kept, 1000]


@pytest.mark.parametrize("rest", ['{"upd', '{"update": 30, "loss": 1.', "{", '{"loss": 2}', "7", "\x00\x00"])
def test_a_line_cut_short_by_a_kill_is_dropped(tmp_path: Path, rest: str) -> None:
    path = tmp_path / "metrics.jsonl"
    written(path, 10, 20)
    with path.open("a", encoding="utf-8") as file:
        file.write(rest)
    MetricsFile(path, 100).close()
    assert [line["update"] for line in read(path)] == [10, 20]


@pytest.mark.parametrize("damaged", [b"\xff\xfe", b'{"upd\x00te": 20}', b"7", b'{"update": 20, "a": "\xed\xa0\x80"}'])
def test_a_damaged_line_costs_only_itself(tmp_path: Path, damaged: bytes) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(b'{"update": 10}\n' + damaged + b'\n{"update": 30}\n')
    MetricsFile(path, 100).close()
    assert [line["update"] for line in read(path)] == [10, 30]


def test_a_validation_that_is_made_again_does_not_stand_twice(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    for judged, kept in ((True, [10, 20, 20]), (False, [10, 20])):
        path.write_text('{"update": 10}\n{"update": 20, "loss": 1}\n{"update": 20, "dev_loss": 1}\n', encoding="utf-8")
        MetricsFile(path, 20, judged).close()
        assert [line["update"] for line in read(path)] == kept


def test_a_whole_last_line_without_its_newline_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"update": 10}\n{"update": 20}', encoding="utf-8")
    file = MetricsFile(path, 20)
    file.write({"update": 21})
    file.close()
    assert [line["update"] for line in read(path)] == [10, 20, 21]


def test_resuming_without_a_file_starts_one(tmp_path: Path) -> None:
    MetricsFile(tmp_path / "metrics.jsonl", 10).close()
    assert read(tmp_path / "metrics.jsonl") == []


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (125, "2 min 05 s"),
        (3599.9, "1 h 00 min"),
        (3725, "1 h 02 min"),
    ],
)
def test_durations_read_well(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_line_says_where_how_well_how_fast_and_how_long_still() -> None:
    assert describe(NUMBERS, 125) == "update 50 · epoch 2 · loss 4.568 · 12,346 tokens/s · 2 min 05 s left"
    assert "left" not in describe(NUMBERS, None)


def test_plain_display_writes_to_stderr_and_not_too_often(capsys: pytest.CaptureFixture[str]) -> None:
    display = PlainDisplay(interval=3600)
    display._last = float("-inf")
    for _ in range(3):
        display.update(NUMBERS, None)
    display.message("best so far")
    display.close()
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [describe(NUMBERS, None), "best so far"]


def test_the_display_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(make_display(100), PlainDisplay)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    display = make_display(100)
    assert isinstance(display, LiveDisplay)
    display.update(NUMBERS, 10.0)
    display.message("[brackets] are not markup of its own")
    display.close()


class Terminal(io.StringIO):
    """A terminal that may be closed."""

    is_closed = False

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.is_closed:
            raise OSError(errno.EIO, "Input/output error")
        return super().write(text)


def test_a_terminal_that_is_closed_ends_no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    display = make_display(100)
    assert isinstance(display, LiveDisplay)
    terminal.is_closed = True
    display.update(NUMBERS, 10.0)
    display.message("nobody reads this")
    display.close()


def test_a_line_that_the_disk_refuses_leaves_no_part_of_it(tmp_path: Path) -> None:
    """The disk takes the first bytes of the third line."""
    path = tmp_path / "metrics.jsonl"
    file = MetricsFile(path)
    file.write({"update": 10, "loss": 1.5})
    whole = path.read_bytes()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * len(whole) + 7, before[1]))
    try:
        file.write({"update": 20, "loss": 1.5})
        with pytest.raises(WriteError, match="metrics.jsonl cannot be written: File too large"):
            file.write({"update": 30, "loss": 1.5})
        file.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [line["update"] for line in read(path)] == [10, 20]


class Full(io.StringIO):
    """Standard error into a file on a full disk."""

    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_log_that_cannot_be_written_ends_no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Full())
    PlainDisplay().message("said into the void")
    PlainDisplay(0).update(NUMBERS, None)
