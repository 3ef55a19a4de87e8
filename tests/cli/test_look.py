"""`polyhead look`."""

import json

import numpy as np
import pytest

from polyhead.translating.translator import Translator

MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "npz": b"PK", "json": b"{"}


def test_one_look_writes_every_kind_of_file(polyhead, toy_model, tmp_path):
    pytest.importorskip("matplotlib")
    files = {kind: tmp_path / f"a look.{kind}" for kind in MAGIC}
    answer = polyhead("look", toy_model, "bado kilu", *(word for kind in files for word in (f"--{kind}", files[kind])))
    (choice,) = Translator.load(toy_model).choices
    said = f"translated by the {choice}; what is shown of it is computed in float32\n"
    assert (answer.status, answer.err) == (0, said if choice.dtype != "float32" else "")
    assert answer.lines == polyhead("translate", toy_model, stdin="bado kilu\n").lines
    for kind, path in files.items():
        assert path.read_bytes().startswith(MAGIC[kind])
    with np.load(files["npz"]) as arrays:
        assert arrays["decoder.cross.weights"].ndim == 4
    assert json.loads(files["json"].read_text(encoding="utf-8"))["meta"]["target"]["text"] == answer.lines[0]


def test_a_given_translation_is_looked_at_instead(polyhead, toy_model, tmp_path):
    path = tmp_path / "look.json"
    answer = polyhead("look", toy_model, "bado kilu", "--target", "koda", "--json", path)
    assert answer.lines == ["koda"]
    assert json.loads(path.read_text(encoding="utf-8"))["meta"]["target"]["given"] is True


def test_a_translation_in_few_bits_is_said(polyhead, toy_model, tmp_path):
    (choice,) = Translator.load(toy_model).choices
    path = tmp_path / "look.json"
    answer = polyhead("look", toy_model, "bado kilu", "--json", path)
    assert answer.lines == polyhead("translate", toy_model, stdin="bado kilu\n").lines
    assert json.loads(path.read_text(encoding="utf-8"))["meta"]["engine"]["dtype"] == choice.dtype
    said = f"translated by the {choice}; what is shown of it is computed in float32\n"
    assert answer.err == (said if choice.dtype != "float32" else "")


def test_a_page_that_was_not_built_is_said(polyhead, toy_model, tmp_path, monkeypatch):
    from polyhead.inspection import page

    monkeypatch.setattr(page.resources, "files", lambda package: tmp_path)
    answer = polyhead("look", toy_model, "bado", "--html", tmp_path / "look.html")
    assert answer.status == 1
    assert "make web" in answer.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["bado"], 2, "--html FILE, --png FILE"),
        (["  ", "--npz", "x.npz"], 1, "empty text"),
        (["bado " * 30, "--npz", "x.npz"], 1, "look at one sentence"),
        (["bado", "--svg", "x.svg", "--layer", "1"], 1, "no layer 1: it has 1"),
        (["bado", "--npz", "x.npz", "--to", "xc"], 1, "this model translates to xb"),
    ],
)
def test_what_is_wrong_is_one_sentence(polyhead, toy_model, arguments, status, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = polyhead("look", toy_model, *arguments)
    assert (answer.status, answer.out) == (status, "")
    assert said in answer.err
    assert not list(tmp_path.iterdir())


def test_the_answer_is_that_of_translate_and_what_the_model_read_is_said(polyhead, toy_model, tmp_path):
    path = tmp_path / "look.json"
    answer = polyhead("look", toy_model, "BADO KILU", "--json", path)
    assert answer.lines == polyhead("translate", toy_model, stdin="BADO KILU\n").lines
    assert answer.lines[0].isupper()
    shown = json.loads(path.read_text(encoding="utf-8"))["meta"]["target"]["text"]
    assert f"what is shown: the model read 'Bado kilu' and wrote {shown!r}" in answer.err
