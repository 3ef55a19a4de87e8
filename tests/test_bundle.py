"""Model directories: what is written can be read, and what is damaged is named."""

import json
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from polyhead.bundle.config import FORMAT
from polyhead.bundle.load import load_bundle
from polyhead.bundle.save import save_description, save_weights
from polyhead.engine.choice import PLAIN, Choice
from polyhead.engine.prepare import prepare
from polyhead.errors import ModelError
from polyhead.manifest import accept
from polyhead.model.config import RNNConfig
from polyhead.model.trained import TransformerArrays
from tests.small import write_small

PREPARED = Choice("prepared", "float32")


@pytest.fixture
def model(toy_model, tmp_path):
    """A copy to damage."""
    return shutil.copytree(toy_model, tmp_path / "model", ignore=shutil.ignore_patterns("training"))


def test_what_is_saved_is_what_was_loaded(model, tmp_path):
    bundle = load_bundle(model)
    assert not bundle.model.training
    again = tmp_path / "again"
    again.mkdir()
    save_description(again, bundle.config, bundle.source_tokenizer, bundle.target_tokenizer)
    save_weights(again, dict(bundle.model.named_parameters()))
    for name in ("config.json", "shared.spm", "model.safetensors"):
        assert (again / name).read_bytes() == (model / name).read_bytes()
    assert all(path.stat().st_mode & 0o777 == 0o644 for path in again.iterdir())


def test_tied_weights_stand_once(model):
    names = load_file(model / "model.safetensors").keys()
    assert sum(name.endswith("tokens.weight") for name in names) == 1
    assert "output.weight" not in names


def test_modules_are_made_when_they_are_asked_for(model):
    bundle, stored = load_bundle(model), load_file(model / "model.safetensors")
    arrays, count = bundle.trained, bundle.parameters
    assert isinstance(arrays, TransformerArrays)
    assert {name: array.tobytes() for name, array in arrays.arrays.items()} == {
        name: weight.numpy().tobytes() for name, weight in stored.items()
    }
    assert bundle.trained is arrays
    modules = bundle.model
    assert bundle.model is modules is bundle.trained
    assert count == bundle.parameters == sum(weight.numel() for weight in modules.parameters())
    for name, weight in modules.named_parameters():
        assert weight.requires_grad
        assert torch.equal(weight, stored[name])
        assert weight.data_ptr() == arrays.arrays[name].ctypes.data, "the same memory"


def test_what_is_no_transformer_comes_as_modules(tmp_path):
    bundle = load_bundle(write_small(tmp_path / "rnn", RNNConfig(d_model=8, hidden_size=8)))
    assert bundle.trained is bundle.model is bundle.given
    assert bundle.parameters == sum(weight.numel() for weight in bundle.model.parameters())
    assert not bundle.model.training


def test_loading_a_transformer_loads_no_pytorch(model):
    lines = [
        "import sys",
        "from polyhead.bundle.load import load_bundle",
        f"bundle = load_bundle({str(model)!r})",
        "bundle.check()",
        "assert bundle.parameters and bundle.trained and not bundle.overwritten",
        "assert 'torch' not in sys.modules",
        "assert bundle.model is bundle.trained",
        "assert 'torch' in sys.modules",
    ]
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True)


def logits(engine):
    """Of a first step."""
    source = np.array([[5, 6, 7, 2], [8, 9, 10, 2]])
    found, _ = engine.step(np.array([2, 2]), engine.start(engine.encode(source, source > 0)))
    return found


def double(model):
    with torch.no_grad():
        model.decoder.layers[0].feed_forward.outer.weight.mul_(2)


def replace_one(model):
    model.decoder.layers[0].feed_forward.outer.weight = torch.nn.Parameter(torch.randn(32, 64))


@pytest.mark.parametrize("change", [double, replace_one])
@pytest.mark.parametrize("choice", [PLAIN, PREPARED], ids=str)
def test_a_changed_weight_is_in_every_engine_made_afterwards(model, choice, change):
    bundle, before = load_bundle(model), logits(prepare(load_bundle(model).model, choice))
    torch.manual_seed(1)
    change(bundle.model)
    after = logits(prepare(bundle.trained, choice))
    assert not np.allclose(after, before, atol=1e-3)
    np.testing.assert_allclose(after, logits(prepare(bundle.model, PLAIN)), atol=1e-4)
    save_weights(model, dict(bundle.model.named_parameters()))
    assert np.array_equal(after, logits(prepare(load_bundle(model).model, choice)))


def test_an_engine_of_arrays_is_that_of_modules_and_keeps_what_it_was_made_of(model):
    bundle = load_bundle(model)
    engine = prepare(bundle.trained, PREPARED)
    before = logits(engine)
    assert np.array_equal(before, logits(prepare(bundle.model, PREPARED)))
    double(bundle.model)
    assert np.array_equal(logits(engine), before), "packed weights are copies"


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
    for _ in range(2):  # as it is found by its digest, and by what it contains where it was taken on as it is
        with pytest.raises(ModelError, match=name):
            load_bundle(model)
        accept(model)


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
    with pytest.raises(ModelError, match=r"config\.json is damaged, or was changed by hand"):
        load_bundle(model)
    accept(model)
    with pytest.raises(ModelError, match=said):
        load_bundle(model)


@pytest.mark.parametrize("text", ["[]", "null", '"text"', "{", "[" * 100_000])
def test_settings_that_are_no_settings(model, text):
    (model / "config.json").write_text(text)
    accept(model)
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


def test_bundles_are_told_apart_by_what_they_are(model):
    one, other = load_bundle(model), load_bundle(model)
    assert one != other
    assert other in [one, other]
    assert len({one.trained, other.trained}) == 2
