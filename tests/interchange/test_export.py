"""Exported directories appear whole or not at all."""

import os
import stat

import pytest

from polyhead.errors import ModelError, WriteError
from polyhead.interchange.export import FORMATS, Format, export


def test_a_new_directory_with_a_card(toy_model, tmp_path):
    out = tmp_path / "deep" / "out"
    export(toy_model, "huggingface", out)
    names = {path.name for path in out.iterdir()}
    assert {"config.json", "model.safetensors", "vocab.json", "README.md"} <= names
    assert [path.name for path in out.parent.iterdir()] == ["out"], "nothing temporary stays"
    assert "xa → xb" in (out / "README.md").read_text(encoding="utf-8")
    with pytest.raises(ModelError, match="exists already"):
        export(toy_model, "huggingface", out)


def test_every_reason_against_it_is_listed(toy_model, tmp_path, monkeypatch):
    refuse = Format("Elsewhere", lambda config: ["too small", "too old"], write=None, card=None)
    monkeypatch.setitem(FORMATS, "elsewhere", refuse)
    with pytest.raises(ModelError, match="cannot be written for Elsewhere: too small; too old"):
        export(toy_model, "elsewhere", tmp_path / "out")
    assert not any(tmp_path.iterdir())


def test_a_failure_leaves_nothing(toy_model, tmp_path, monkeypatch):
    def fail(bundle, directory):
        (directory / "half").write_text("")
        raise OSError("disk full")

    monkeypatch.setitem(FORMATS, "elsewhere", Format("Elsewhere", lambda config: [], fail, card=None))
    with pytest.raises(WriteError, match="out cannot be written: disk full"):
        export(toy_model, "elsewhere", tmp_path / "out")
    assert not any(tmp_path.iterdir())


def test_models_that_are_none(tmp_path):
    with pytest.raises(ModelError, match="not a model directory"):
        export(tmp_path / "nothing", "huggingface", tmp_path / "out")


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("umask", [0o022, 0o002, 0o077])
def test_files_have_the_modes_that_the_users_umask_gives(toy_model, tmp_path, umask):
    before = os.umask(umask)
    try:
        export(toy_model, "huggingface", tmp_path / "out")
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out").iterdir()} == {0o666 & ~umask}
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o777 & ~umask
