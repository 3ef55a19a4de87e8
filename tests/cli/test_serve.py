"""`polyhead serve`: what keeps it from starting."""

import pytest


@pytest.mark.parametrize(
    ("content", "said"),
    [(" \n", "the API key is empty"), ("열쇠", "no HTTP header can carry"), ("two\nlines", "no HTTP header can carry")],
)
def test_a_key_that_nobody_could_send_is_refused(polyhead, toy_model, tmp_path, monkeypatch, content, said):
    file = tmp_path / "key"
    file.write_text(content, encoding="utf-8")
    answer = polyhead("serve", toy_model, "--api-key-file", file)
    assert (answer.status, answer.out) == (2, "")
    assert said in answer.err
    monkeypatch.setenv("POLYHEAD_API_KEY", content)
    assert said in polyhead("serve", toy_model).err


def test_a_key_file_that_is_missing_is_named(polyhead, toy_model, tmp_path):
    answer = polyhead("serve", toy_model, "--api-key-file", tmp_path / "nothing")
    assert answer.status != 0
    assert "nothing" in answer.err
    assert "Traceback" not in answer.err


def test_what_is_asked_for_on_the_command_line_is_what_the_server_does(polyhead, toy_model, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr("polyhead.server.run.run", lambda paths, config, host, *more: seen.append((config, host)))
    suggestions = tmp_path / "suggestions.jsonl"
    options = ["--host", "mt.lan", "--allowed-host", "translate.example.org", "--suggestions", suggestions]
    options += ["--max-file", 2, "--file-timeout", 7, "--file-memory", 3, "--file-seconds", 9, "--origin", "*"]
    assert polyhead("serve", toy_model, *options).status == 0
    ((config, host),) = seen
    assert (host, config.allowed_hosts) == ("mt.lan", ("mt.lan", "translate.example.org"))
    assert (config.suggestions, config.origins) == (suggestions, ("*",))
    assert (config.max_file, config.file_memory) == (2 << 20, 3 << 20)
    assert (config.file_timeout, config.file_seconds) == (7, 9)


def test_suggestions_that_cannot_be_kept_are_said_before_the_server_answers(polyhead, toy_model, tmp_path):
    answer = polyhead("serve", toy_model, "--port", 0, "--suggestions", tmp_path / "nowhere" / "file")
    assert answer.status == 1
    assert "suggestions cannot be kept there" in answer.err
    assert "serving" not in answer.err


def test_what_is_too_long_for_a_setting_is_said(polyhead, tmp_path):
    file = tmp_path / "key"
    file.write_text("k" * 5000)
    for option, value, said in (
        ("--api-key-file", file, "the API key has more than 4,096 characters"),
        ("--origin", "https://" + "x" * 5000, "--origin has more than 4,096 characters"),
        ("--allowed-host", "x" * 5000, "--allowed-host has more than 4,096 characters"),
        ("--host", "x" * 5000, "--host has more than 4,096 characters"),
    ):
        answer = polyhead("serve", tmp_path, option, value)
        assert answer.status == 2
        assert said in answer.err
