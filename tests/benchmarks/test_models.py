"""Finding trained models, and telling their weights apart."""

from pathlib import Path

import pytest

from benchmarks import machine
from benchmarks.contest import Stage
from benchmarks.models import Trained, find, fingerprint, load
from benchmarks.plan import FULL, Places
from polyhead.errors import DataError


def stage(models: Path) -> Stage:
    return Stage(FULL, Places(models, models, models, models, models), threads=2, say=print)


def write(directory: Path, weights: bytes = b"weights") -> Path:
    directory.mkdir(exist_ok=True)
    (directory / "config.json").write_text("{}", encoding="utf-8")
    (directory / "model.safetensors").write_bytes(weights)
    return directory


def test_a_model_is_found_by_test_set_and_size(tmp_path: Path) -> None:
    expected = write(tmp_path / "multi30k-small")
    assert find(stage(tmp_path), "multi30k", "small") == expected


def test_a_model_that_is_missing_is_noted(tmp_path: Path) -> None:
    asking = stage(tmp_path)
    assert find(asking, "multi30k", "base") is None
    assert str(tmp_path / "multi30k-base") in asking.notes[0]


def test_other_weights_have_another_fingerprint(tmp_path: Path) -> None:
    first = fingerprint(write(tmp_path / "model"))
    assert fingerprint(write(tmp_path / "model")) == first
    assert fingerprint(write(tmp_path / "model", b"other")) != first


def test_our_own_format_is_the_directory_itself() -> None:
    config: object = None
    trained = Trained(Path("model"), config, {"ctranslate2": Path("exported")})
    assert trained.folder(".") == Path("model")
    assert trained.folder("ctranslate2") == Path("exported")
    assert trained.folder("huggingface") is None


def test_a_model_of_several_directions_is_refused(tagged_model: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="one direction"):
        load(stage(tmp_path), tagged_model)


def test_the_machine_is_described() -> None:
    found = machine.describe()
    assert found["cores"] >= 1
    assert found["memory_gib"] > 0.1
    assert set(found["flags"]) <= set(machine.TELLING)
    assert found == machine.describe()  # results of one machine are recognised as such


def test_a_processor_that_may_use_avx2_alone_is_another_one() -> None:
    found = machine.describe(avx2_alone=True)
    assert found["processor"] != machine.describe()["processor"]
    assert set(found["flags"]) <= {"avx2"}
