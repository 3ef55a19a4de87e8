"""A damaged file of a run that is gone on with: what is whole before it is taken, or one sentence names it."""

import pytest

from tests.faults.conftest import Interrupted, LeftAlone
from tests.faults.damage import Damage, a_damage, damages
from tests.faults.reading import SAME, judged_run, names_in
from tests.faults.tally import SAID, Tally, tallied

FAULT = "a damaged file in a run"
NEWEST, OLDER = "update-00000016.safetensors", "update-00000008.safetensors"
UNFINISHED = (
    "config.json",
    "shared.spm",
    "model.safetensors",
    "SHA256SUMS",
    "training/recipe.toml",
    "training/data.json",
    "training/metrics.jsonl",
    "training/SHA256SUMS",
    f"training/checkpoints/{NEWEST}",
    f"training/checkpoints/{OLDER}",
    "training/checkpoints/SHA256SUMS",
    f"training/snapshots/{NEWEST}",
    f"training/snapshots/{OLDER}",
    "training/snapshots/SHA256SUMS",
)
FINISHED = ("training/scores.json", "training/recipe.toml", "training/data.json")
DISTILLING = ("distilled/record.json", "distilled/shards/000000.jsonl", "distilled/shards/SHA256SUMS")
LEARNING = ("distilled/record.json", "distilled/train.source", "distilled/train.target", "distilled/SHA256SUMS")
MUST_BE_SAID = (f"training/checkpoints/{NEWEST}", f"training/snapshots/{NEWEST}")
"""Files without which a run goes on from an older checkpoint."""
MAY_DIFFER = ("training/metrics.jsonl", f"training/snapshots/{OLDER}", "distilled/SHA256SUMS")
"""A line of the first is left out; the second stays as long as the checkpoint before the newest asks for it; the last
one, if it is deleted, stays away, as nothing is written beside it any more."""


@pytest.fixture(scope="session")
def stopped(training, tmp_path_factory):
    """A training killed after its second checkpoint of three."""
    after = f"delete a directory model/training/checkpoints/.{NEWEST}"
    return Interrupted.at(training, tmp_path_factory.mktemp("stopped") / "run", after)


@pytest.fixture(scope="session")
def finished(training, tmp_path_factory):
    """A training that has come to its end."""
    return Interrupted.at_the_end(training, tmp_path_factory.mktemp("finished") / "run")


@pytest.fixture(scope="session")
def distilling(distillation, tmp_path_factory):
    """A distillation killed after its second shard of three."""
    after = "delete a directory model/distilled/shards/.000001"
    return Interrupted.at(distillation, tmp_path_factory.mktemp("distilling") / "run", after)


@pytest.fixture(scope="session")
def learning(distillation, tmp_path_factory):
    """A distillation killed when its student has a checkpoint."""
    after = "delete a directory model/training/checkpoints/.update-00000002"
    return Interrupted.at(distillation, tmp_path_factory.mktemp("learning") / "run", after)


def go_on(tally: Tally, run: Interrupted, other: LeftAlone, file: str, damage: Damage) -> None:
    """Goes on with a run after a damage."""
    directory = run.restore()
    path = directory / "model" / file
    if not path.exists():
        tally.count("there is no such file", file)
        return
    if not damage.do(path, other.directory / "model" / file):
        return
    words = run.alone.run.words
    if file.endswith("recipe.toml"):
        words = ("train", "--out", "model")  # which believes what was written down
    names = {*names_in(directory), path.name}
    answer = run.alone.run.nursery.run(*words, "--resume", directory=directory)
    free = file if file in MAY_DIFFER else None
    result = judged_run(answer, run.alone.traces, directory, names, free)
    must_be_said = file in MUST_BE_SAID and damage.way != "deleted"
    if result == SAME and must_be_said and path.name not in answer.err:
        result = "went on from an older checkpoint without a word"
    tally.count(result, f"{file} {damage}")


def campaign(record, how: str, run: Interrupted, other: LeftAlone, file: str, seed: int) -> None:
    with tallied(record, FAULT, f"{how}, {file}") as tally:
        for damage in damages(file, seed):
            go_on(tally, run, other, file, damage)
            if "there is no such file" in tally.outcomes:
                break


def test_one_damage_of_some_files(learnt, stopped, faults_seed, record_property):
    with tallied(record_property, FAULT, "one damage of some files") as tally:
        for file in UNFINISHED[::2]:
            go_on(tally, stopped, learnt, file, a_damage(file, faults_seed))


@pytest.mark.faults
@pytest.mark.parametrize("file", UNFINISHED)
def test_each_damage_of_an_unfinished_training(learnt, stopped, faults_seed, file, record_property):
    campaign(record_property, "unfinished training", stopped, learnt, file, faults_seed)


@pytest.mark.faults
@pytest.mark.parametrize("file", FINISHED)
def test_each_damage_of_a_finished_training(learnt, finished, faults_seed, file, record_property):
    campaign(record_property, "finished training", finished, learnt, file, faults_seed)


@pytest.mark.faults
@pytest.mark.parametrize("file", DISTILLING)
def test_each_damage_of_an_unfinished_distillation(learnt, distilling, faults_seed, file, record_property):
    campaign(record_property, "unfinished distillation", distilling, learnt, file, faults_seed)


@pytest.mark.faults
@pytest.mark.parametrize("file", LEARNING)
def test_each_damage_of_a_distilled_corpus(learnt, learning, faults_seed, file, record_property):
    campaign(record_property, "student's training", learning, learnt, file, faults_seed)


@pytest.mark.faults
def test_without_any_whole_checkpoint_what_is_lost_is_said(stopped, record_property):
    """All checkpoints damaged, or all snapshots: nothing to fall back to."""
    alone = stopped.alone
    with tallied(record_property, FAULT, "all checkpoints, or all snapshots") as tally:
        for folder in ("checkpoints", "snapshots"):
            for keep in (0, 100):
                directory = stopped.restore()
                for path in (directory / "model" / "training" / folder).glob("*.safetensors"):
                    path.write_bytes(path.read_bytes()[:keep])
                answer = alone.run.nursery.run(*alone.run.words, "--resume", directory=directory)
                result = judged_run(answer, alone.traces, directory, names_in(directory), None)
                if result.startswith("other") and "the final average is made without it" in answer.err:
                    result = SAID
                tally.count(result, f"{folder} cut to {keep} bytes")
