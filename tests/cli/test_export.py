"""`polyhead export` from the command line."""


def test_export(polyhead, toy_model, tmp_path):
    answer = polyhead("export", toy_model, "--to", "huggingface", tmp_path / "out")
    assert (answer.status, answer.err) == (0, "")
    assert (tmp_path / "out" / "model.safetensors").exists()
    again = polyhead("export", toy_model, tmp_path / "out", "--to", "huggingface")
    assert again.status == 1
    assert "exists already" in again.err


def test_wrong_usage(polyhead, toy_model, tmp_path):
    assert polyhead("export", toy_model, tmp_path / "out").status == 2
    assert polyhead("export", toy_model, tmp_path / "out", "--to", "elsewhere").status == 2
    assert not (tmp_path / "out").exists()
