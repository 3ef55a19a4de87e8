"""Model directories: what is written can be read, and what is damaged is named."""

import json
import pickle
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from polyhead.bundle import FORMAT, load_bundle, save_description, save_weights
from polyhead.errors import ModelError


@pytest.fixture
def model(toy_model, tmp_path):
    """A copy to damage."""
    return shutil.copytree(toy_model, tmp_path / "model", ignore=shutil.ignore_patterns("training"))


def test_what_is_saved_is_what_was_loaded(model, tmp_path):
    bundle = load_bundle(model)
    assert not bundle.model.training
    again = tmp_path / "again"
    save_description(again, bundle.config, bundle.source_tokenizer, bundle.target_tokenizer)
    save_weights(again, dict(bundle.model.named_parameters()))
    for name in ("config.json", "shared.spm", "model.safetensors"):
        assert (again / name).read_bytes() == (model / name).read_bytes()
    assert all(path.stat().st_mode & 0o777 == 0o644 for path in again.iterdir())


def test_tied_weights_stand_once(model):
    names = load_file(model / "model.safetensors").keys()
    assert sum(name.endswith("tokens.weight") for name in names) == 1
    assert "output.weight" not in names


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "shared.spm"])
@pytest.mark.parametrize("damage", ["missing", "empty", "truncated", "garbage", "a directory"])
def test_damage_is_named(model, name, damage):
    path = model / name
    data = path.read_bytes()
    path.unlink()
    match damage:
        case "empty":
            path.write_bytes(b"")
        case "truncated":
            path.write_bytes(data[: len(data) // 2])
        case "garbage":
            path.write_bytes(bytes(range(256)) * 20)
        case "a directory":
            path.mkdir()
    with pytest.raises(ModelError, match=name):
        load_bundle(model)


def test_no_pickle_is_ever_read(model):
    class Trap:
        def __reduce__(self):
            return exec, ("raise SystemExit('executed')",)

    (model / "model.safetensors").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ModelError, match=r"model\.safetensors cannot be read"):
        load_bundle(model)
    torch.save({"a": torch.zeros(1)}, model / "model.safetensors")
    with pytest.raises(ModelError, match=r"model\.safetensors cannot be read"):
        load_bundle(model)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": FORMAT + 1}, "newer than this version of polyhead reads; install a newer one"),
        ({"format": None}, "no settings of a polyhead model"),
        ({"extra": 1}, "extra"),
        ({"model": {"kind": "unheard of"}}, "model"),
        ({"model": 3}, "model"),
        ({"source_vocabulary": 7}, "config.json says 7"),
        ({"tokenizer": {"kind": "word"}}, "shared.spm"),
    ],
)
def test_settings_that_cannot_be_right(model, change, said):
    path = model / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ModelError, match=said):
        load_bundle(model)


@pytest.mark.parametrize("text", ["[]", "null", '"text"', "{", "[" * 100_000])
def test_settings_that_are_no_settings(model, text):
    (model / "config.json").write_text(text)
    with pytest.raises(ModelError, match=r"config\.json"):
        load_bundle(model)


def test_weights_of_another_shape_or_name(model):
    path = model / "model.safetensors"
    weights = load_file(path)
    name = next(iter(weights))
    save_file({**weights, name: torch.zeros(3, 5)}, path)
    with pytest.raises(ModelError, match=r"does not fit config.json: .* is \(3, 5\)"):
        load_bundle(model)
    save_file({key: weight for key, weight in weights.items() if key != name}, path)
    with pytest.raises(ModelError, match="stands in only one of them"):
        load_bundle(model)


def test_there_must_be_a_directory(tmp_path):
    with pytest.raises(ModelError, match="there is no such directory"):
        load_bundle(tmp_path / "no")
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="is not a model directory"):
        load_bundle(tmp_path / "file")
    with pytest.raises(ModelError, match=r"config\.json is missing: .* is not a \(finished\) model directory"):
        load_bundle(tmp_path)
