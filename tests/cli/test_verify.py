"""`polyhead verify`."""

import shutil

import pytest


@pytest.fixture
def model(toy_model, tmp_path):
    return shutil.copytree(toy_model, tmp_path / "model")


def test_files_as_they_were_written(polyhead, model):
    said = polyhead("verify", model)
    assert (said.status, said.err) == (0, "")
    assert "as they were written" in said.out


def test_a_file_that_was_changed_is_named_until_it_is_accepted(polyhead, model):
    card = model / "README.md"
    card.write_text("another card")
    said = polyhead("verify", model)
    assert said.status == 1
    assert f"{card}: not as it was written" in said.out
    assert "README.md is not as it was written; copy it again" in said.err
    assert polyhead("verify", model, "--accept").status == 0
    assert polyhead("verify", model).status == 0
