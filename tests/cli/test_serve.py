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
