"""Distillation from end to end on the toy pair, interrupted wherever it can be."""

import json
import shutil
import signal

import pytest

from polyhead.errors import ModelError, RecipeError
from polyhead.files import write_text
from polyhead.manifest import write_listed_text
from polyhead.recipe import distill as module
from polyhead.recipe.distill import DistillationConfig, distill
from polyhead.recipe.record import read_record
from polyhead.recipe.train import train
from polyhead.translating.translator import Translator


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    """The toy corpus has 150 pairs: four shards."""
    monkeypatch.setattr(module, "SHARD", 40)


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def test_the_student_learns_what_the_teacher_writes(toy, toy_model):
    values = toy.values("student")
    outcome = distill([toy_model], values)
    assert outcome.finished
    corpus = toy.directory / "student" / "distilled"
    sources, targets = lines(corpus / "train.source"), lines(corpus / "train.target")
    assert sources == lines(toy.directory / "train.source")
    written = Translator.load(toy_model, dtype="float32").translate(sources, beam_size=5)
    assert targets == [each.text for each in written]
    record = json.loads((corpus / "record.json").read_text(encoding="utf-8"))
    assert record["counts"]["pairs"] == 150
    assert record["counts"]["of_each_rank"] == [150]
    assert set(outcome.scores) == {"dev"}, "judged by the recipe's own dev set"
    assert "dev" not in record["readers"]
    again = distill([toy_model], values, resume=True)
    assert again.scores == outcome.scores


@pytest.mark.parametrize(("last", "pairs"), [(1, 80), (3, 150)])
def test_interrupted_in_the_translation(toy, toy_model, monkeypatch, capsys, last, pairs):
    distill([toy_model], toy.values("whole"))
    kept = module.DistilledCorpus.keep

    def keep_and_stop(self, number, distilled):
        kept(self, number, distilled)
        if number == last:
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(module.DistilledCorpus, "keep", keep_and_stop)
    outcome = distill([toy_model], toy.values("stopped"))
    assert not outcome.finished
    assert f"stopped after {pairs} pairs; the same command with --resume" in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.setattr(module, "SHARD", 40)
    assert distill([toy_model], toy.values("stopped"), resume=True).finished
    for name in ("distilled/train.target", "model.safetensors"):
        assert (toy.directory / "stopped" / name).read_bytes() == (toy.directory / "whole" / name).read_bytes()


def test_interrupted_in_the_training(toy, toy_model):
    distill([toy_model], toy.values("student", training__max_updates=8))
    longer = distill([toy_model], toy.values("student", training__max_updates=12), resume=True)
    assert longer.finished
    metrics = lines(toy.directory / "student" / "training" / "metrics.jsonl")
    assert json.loads(metrics[-1])["update"] == 12


def test_the_nearest_of_the_beam_and_the_originals(toy, toy_model):
    values = toy.values("student", training__max_updates=2)
    del values["data"]["dev"]
    distill([toy_model], values, DistillationConfig(select="chrf", beam_size=3, keep_original=True))
    corpus = toy.directory / "student" / "distilled"
    record = json.loads((corpus / "record.json").read_text(encoding="utf-8"))
    assert sum(record["counts"]["of_each_rank"]) == record["counts"]["pairs"] == 143
    assert len(record["counts"]["of_each_rank"]) > 1
    assert set(record["readers"]) == {"train", "original", "dev"}
    held_out = set(lines(corpus / "dev.source"))
    assert len(held_out) == 7
    assert not held_out & set(lines(corpus / "train.source"))
    references = dict(zip(lines(toy.directory / "train.source"), lines(toy.directory / "train.target"), strict=True))
    assert lines(corpus / "original.target") == [references[source] for source in lines(corpus / "original.source")]


def test_several_languages(toy, tagged_model):
    readers = [{**toy.write(name, 30, seed), "target_language": name} for seed, name in enumerate(("xb", "xc"))]
    values = toy.values("student", data__train=readers, data__dev=readers, training__max_updates=2)
    assert distill([tagged_model], values).finished
    corpus = toy.directory / "student" / "distilled"
    for language in ("xb", "xc"):
        sources = lines(corpus / f"train.{language}.source")
        assert len(sources) == 30
        written = Translator.load(tagged_model).translate(sources, beam_size=5, target_language=language)
        assert lines(corpus / f"train.{language}.target") == [each.text for each in written]


def test_the_student_has_the_languages_of_the_file_names(toy):
    reader = toy.write_named("train", 30)
    teacher = train(toy.values("teacher", data__train=[reader], data__dev=[], training__max_updates=2)).directory
    values = toy.values("student", data__train=[reader], data__dev=[], training__max_updates=2)
    config = DistillationConfig(keep_original=True)
    assert distill([teacher], values, config).finished
    assert distill([teacher], values, config, resume=True).finished
    written = json.loads((toy.directory / "student" / "config.json").read_text(encoding="utf-8"))
    assert (written["source_language"], written["target_languages"]) == ("en", ["ko"])


def test_both_directions(toy):
    """The teacher's corpus has its directions written out; dev and test sets are scored in both all the same."""
    reader = toy.write_named("train", 30)
    keys = {"data__train": [reader], "data__both_directions": True, "training__max_updates": 2}
    teacher = train(toy.values("teacher", **keys, data__dev=[])).directory
    values = toy.values(
        "student", **keys, data__dev=[toy.write_named("dev", 5, 1)], data__test=[toy.write_named("test", 5, 2)]
    )
    config = DistillationConfig(keep_original=True)
    outcome = distill([teacher], values, config)
    assert set(outcome.scores) == {
        "dev (en)", "dev (ko)", f"{toy.directory}/test.en (ko)", f"{toy.directory}/test.ko (en)"
    }  # fmt: skip
    corpus = toy.directory / "student" / "distilled"
    assert lines(corpus / "train.ko.source") == lines(toy.directory / "train.en")
    assert lines(corpus / "original.en.target") == lines(toy.directory / "train.en")
    assert distill([teacher], values, config, resume=True).scores == outcome.scores
    assert json.loads((toy.directory / "student" / "config.json").read_text())["source_language"] is None


def test_weights_go_with_their_pairs(toy, toy_model):
    readers = [{**toy.write("some", 20), "weight": 0.5}, {**toy.write("more", 10, seed=4), "weight": 2}]
    values = toy.values("student", data__train=readers, training__max_updates=2)
    config = DistillationConfig(keep_original=True)
    assert distill([toy_model], values, config).finished
    corpus = toy.directory / "student" / "distilled"
    assert lines(corpus / "train.x0.5.source") == toy.source(20)
    assert lines(corpus / "original.x2.0.source") == toy.source(10, seed=4)
    recorded = read_record(toy.directory / "student")["data"]["train"]
    assert [reader["weight"] for reader in recorded] == [0.5, 2.0, 0.5, 2.0]
    assert distill([toy_model], values, config, resume=True).finished
    readers[1]["weight"] = 3
    with pytest.raises(RecipeError, match="begun with another data"):
        distill([toy_model], toy.values("student", data__train=readers), config, resume=True)


def test_what_cannot_be_gone_on_with(toy, toy_model, tagged_model, tmp_path):
    values = toy.values("student", training__max_updates=2)
    with pytest.raises(RecipeError, match="no distillation to resume"):
        distill([toy_model], values, resume=True)
    with pytest.raises(ModelError, match=r"is not a \(finished\) model directory"):
        distill([tmp_path / "nothing"], values)
    distill([toy_model], values)
    with pytest.raises(RecipeError, match="already holds a distillation"):
        distill([toy_model], values)
    with pytest.raises(RecipeError, match="begun with another teacher"):
        distill([tagged_model], values, resume=True)
    with pytest.raises(RecipeError, match="begun with another settings"):
        distill([toy_model], values, DistillationConfig(beam_size=2), resume=True)
    path = toy.directory / "student" / "training" / "recipe.toml"
    begun = path.read_text(encoding="utf-8")
    write_listed_text(path, begun.replace('precision = "float32"', 'precision = "int16"'))
    with pytest.raises(RecipeError, match=r"student was begun with a recipe that this version .*precision = 'int16'"):
        distill([toy_model], values, resume=True)
    write_listed_text(path, begun)
    write_text(toy.directory / "train.source", "".join(f"{line}\n" for line in toy.source(150, seed=5)))
    with pytest.raises(RecipeError, match="begun with another data"):
        distill([toy_model], values, resume=True)
    shutil.copytree(toy_model, tmp_path / "taken")
    with pytest.raises(RecipeError, match="already holds a model"):
        distill([toy_model], toy.values("taken"))
