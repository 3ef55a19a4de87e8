"""`polyhead verify`: what is not as it was written is named, and what was edited by hand can be taken on."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from polyhead.bundle.load import load_bundle
from polyhead.errors import ModelError
from polyhead.manifest import NAME, read_manifest
from polyhead.recipe import verify
from polyhead.recipe.verify import accept_files, find_differences


@pytest.fixture
def model(tagged_model, tmp_path):
    return shutil.copytree(tagged_model, tmp_path / "model")


def edit(model, **changes):
    path = model / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_every_file_of_a_run_is_listed(model):
    found = find_differences(model)
    assert found.differences == {}
    every = [path for path in model.rglob("*") if path.is_file()]
    unlisted = {path.name for path in every} - {name for path in every for name in read_manifest(path.parent) or {}}
    assert unlisted == {NAME, "metrics.jsonl"}
    assert found.files == 10


def test_each_difference_is_named(model):
    (model / "README.md").unlink()
    (model / "training" / "recipe.toml").write_text("other")
    (model / "other.spm").write_text("")
    edit(model, source_language="zz")
    assert {path.relative_to(model).as_posix(): said for path, said in find_differences(model).differences.items()} == {
        "README.md": "missing",
        "config.json": "not as it was written",
        "other.spm": "not listed",
        "training/recipe.toml": "not as it was written",
    }


def test_an_edited_model_is_refused_until_it_is_accepted(model):
    edit(model, source_language="zz")
    with pytest.raises(ModelError, match=r"config\.json is damaged, or was changed by hand.*verify --accept"):
        load_bundle(model)
    accept_files(model)
    assert find_differences(model).differences == {}
    assert load_bundle(model).config.source_language == "zz"


@pytest.mark.parametrize("listed", [True, False], ids=["listed", "of an older version"])
def test_what_does_not_fit_is_not_accepted(model, listed):
    if not listed:
        (model / NAME).unlink()
    before = (model / NAME).read_bytes() if listed else None
    edit(model, source_vocabulary=7)
    with pytest.raises(ModelError, match=r"config\.json says 7"):
        accept_files(model)
    assert ((model / NAME).read_bytes() if listed else None) == before
    assert listed == (model / NAME).exists()


def test_what_is_listed_stays_where_the_check_is_interrupted(model, monkeypatch):
    def interrupted(path):
        raise KeyboardInterrupt

    before = (model / NAME).read_bytes()
    edit(model, source_vocabulary=7)
    monkeypatch.setattr(verify, "load_bundle", interrupted)
    with pytest.raises(KeyboardInterrupt):
        accept_files(model)
    assert (model / NAME).read_bytes() == before


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused_whatever_is_listed(model, value):
    path = model / "model.safetensors"
    weights = load_file(path)
    name = min(weights)
    weights[name].view(-1)[3] = value
    save_file(weights, path)
    with pytest.raises(ModelError, match=r"model\.safetensors: .* infinite or no numbers at all"):
        accept_files(model)
    (model / NAME).unlink()
    for ask in (load_bundle(model).check, lambda: load_bundle(model).model):
        with pytest.raises(ModelError, match="infinite or no numbers at all"):
            ask()


def test_without_a_list_there_is_nothing_to_compare(model):
    for path in model.rglob(NAME):
        path.unlink()
    with pytest.raises(ModelError, match="has no SHA256SUMS"):
        find_differences(model)
    accept_files(model)
    assert find_differences(model).differences == {}
    assert torch.is_tensor(next(load_bundle(model).model.parameters()))
    with pytest.raises(ModelError, match="there is no such directory"):
        find_differences(model / "absent")
