"""Suggestions and their file."""

import json
import os
import stat
import threading

import pytest

from polyhead.errors import PolyheadError
from polyhead.server.problems import Problem
from polyhead.server.suggestions import SuggestionFile

GIVEN = {"q": "Hello\n", "s": "안녕", "source": "en", "target": "ko"}


@pytest.fixture
def opened(tmp_path):
    """most bytes → a file of suggestions, closed when the test ends."""
    made = []

    def make(most=1 << 20):
        made.append(SuggestionFile(tmp_path / "suggestions.jsonl", most))
        return made[-1]

    yield make
    for each in made:
        each.close()


def read(tmp_path):
    return [json.loads(line) for line in (tmp_path / "suggestions.jsonl").read_text("utf-8").splitlines()]


def test_each_suggestion_is_a_line_with_its_time(opened, tmp_path):
    for file in (opened(), opened()):
        file.add(GIVEN)
    first, second = read(tmp_path)
    assert first == {"time": first["time"], **GIVEN}
    assert second["time"].endswith("+00:00")
    assert stat.S_IMODE((tmp_path / "suggestions.jsonl").stat().st_mode) == 0o600


def test_a_line_that_a_crash_cut_short_damages_no_other(opened, tmp_path):
    (tmp_path / "suggestions.jsonl").write_text('{"q": "un')
    opened().add(GIVEN)
    lines = (tmp_path / "suggestions.jsonl").read_text("utf-8").splitlines()
    assert lines[0] == '{"q": "un'
    assert json.loads(lines[1])["s"] == "안녕"


def test_a_full_file_takes_no_more(opened, tmp_path):
    file = opened(250)
    file.add(GIVEN)
    file.add(GIVEN)
    with pytest.raises(Problem, match="its file is full") as problem:
        file.add(GIVEN)
    assert problem.value.status_code == 403
    assert len(read(tmp_path)) == 2


def test_what_the_disk_does_not_take_is_not_there_in_part(opened, tmp_path, monkeypatch):
    file = opened()
    file.add(GIVEN)
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, line: write(file, line[:10]))
    with pytest.raises(Problem, match="disk is full"):
        file.add(GIVEN)
    monkeypatch.undo()
    file.add(GIVEN)
    assert len(read(tmp_path)) == 2


def test_many_at_once_are_all_kept_whole(opened, tmp_path):
    file = opened()
    threads = [threading.Thread(target=lambda: [file.add(GIVEN) for _ in range(20)]) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read(tmp_path)) == 100


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(PolyheadError, match="nowhere/file: suggestions cannot be kept there"):
        SuggestionFile(tmp_path / "nowhere" / "file", 1000)
    with pytest.raises(PolyheadError, match="name another file"):
        SuggestionFile(tmp_path, 1000)
