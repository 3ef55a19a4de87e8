"""Our own drivers against the package as it is: they use its public parts, which change."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.conversation import Driver
from benchmarks.corpora import encoded, write_batches
from benchmarks.environments import own_python
from benchmarks.sizes import Size
from polyhead.data.readers import Pair
from polyhead.tokenizers.build import train
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.translating.translator import Translator
from tests.conftest import Toy

SIZE = Size("toy", 1, 1, 16, 32, 2, dropout=0.1, peak=1e-2)


@pytest.fixture
def request_for_training(toy: Toy) -> dict[str, Any]:
    sources = toy.source(60)
    pairs = [Pair(source, toy.target(source), None, "") for source in sources]
    tokenizer = train([*sources, *map(toy.target, sources)], TokenizerConfig(), 320, ())
    tokenizer.save(toy.directory / "shared.spm")
    write_batches(toy.directory / "batches.npz", encoded(pairs, tokenizer), shuffle=True)
    return {
        "size": SIZE.message(tokenizer.vocabulary_size),
        "schedule": {"peak": SIZE.peak, "warmup": 2},
        "batches": str(toy.directory / "batches.npz"),
        "judged": str(toy.directory / "batches.npz"),
        "vocabulary": str(toy.directory / "shared.spm"),
        "data": {"train": [toy.write("train", 20)]},
        "scratch": str(toy.directory / "run"),
        "setting": {"precision": "float32", "threads": 1},
    }


@pytest.fixture(params=["polyhead_training.py", "torch_training.py"])
def trainer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Driver]:
    driver = Driver(own_python(), request.param, tmp_path / "driver.log", 1, {})
    yield driver
    driver.close()


@pytest.mark.slow
def test_a_training_driver_counts_learns_and_translates(trainer: Driver, request_for_training: dict[str, Any]) -> None:
    weights = trainer.ask("prepare", **request_for_training)["parameters"]
    assert weights > SIZE.d_model * request_for_training["size"]["vocabulary"]
    before = trainer.ask("judge")["loss"]
    answer = trainer.ask("run", count=30)
    assert answer["tokens"] > 30 * 60
    assert answer["seconds"] > 0
    assert trainer.ask("judge")["loss"] < before - 0.5
    assert len(trainer.ask("translate", sources=[[5, 6, 3], [7, 3]], longest=5)["outputs"]) == 2


@pytest.mark.slow
def test_what_our_training_driver_saves_translates_on_a_device(
    request_for_training: dict[str, Any], tmp_path: Path, toy: Toy
) -> None:
    """On "cpu", too, by the way that a GPU takes."""
    trainer, model = Driver(own_python(), "polyhead_training.py", tmp_path / "training.log", 1, {}), tmp_path / "saved"
    translator = Driver(own_python(), "polyhead_translation.py", tmp_path / "translation.log", 1, {})
    sentences = toy.source(5, seed=2)
    try:
        setting = {"precision": "float32", "threads": 1, "device": "cpu"}
        trainer.ask("prepare", **request_for_training | {"setting": setting})
        trainer.ask("run", count=30)
        trainer.ask("save", directory=str(model))
        setting = {"precision": "float32", "device": "cpu", "patience": 1, "batch_tokens": 64}
        translator.ask("prepare", model=str(model), vocabulary="", first=sentences[0], setting=setting)
        outputs = translator.ask("translate", sentences=sentences, beam_size=1, batch=None)["outputs"]
        assert outputs == [found.text for found in Translator.load(model).translate(sentences, beam_size=1)]
    finally:
        trainer.close()
        translator.close()


@pytest.mark.slow
def test_the_translation_driver_translates_as_the_package_does(toy_model: Path, tmp_path: Path, toy: Toy) -> None:
    sentences = toy.source(5, seed=2)
    driver = Driver(own_python(), "polyhead_translation.py", tmp_path / "driver.log", 1, {})
    try:
        request = {"model": str(toy_model), "vocabulary": "", "first": sentences[0]}
        driver.ask("prepare", **request, setting={"engine": "plain", "dtype": "float32", "patience": 1})
        outputs = driver.ask("translate", sentences=sentences, beam_size=1, batch=None)["outputs"]
        expected = Translator.load(toy_model).translate(sentences, beam_size=1)
        assert outputs == [translation.text for translation in expected]
        assert len(driver.ask("one_by_one", sentences=sentences[:2], beam_size=2)["seconds"]) == 2
    finally:
        driver.close()
