"""A damaged file of a model directory is refused by its name, or changes nothing."""

import pytest

from tests.faults.conftest import LeftAlone
from tests.faults.damage import Damage, a_damage, damages
from tests.faults.reading import ALWAYS, READINGS, judged, names_in
from tests.faults.runs import copied, outcome
from tests.faults.tally import Tally, tallied

FAULT = "a damaged file in a model directory"
FILES = ("config.json", "model.safetensors", "shared.spm", "shortlist.safetensors", "README.md", "SHA256SUMS")
IN_TURN = [name for name in READINGS if name not in ALWAYS]


@pytest.fixture(scope="session")
def whole(nursery, learnt, tmp_path_factory):
    """A directory with a model and its shortlist, and what each command makes of it."""
    directory = tmp_path_factory.mktemp("whole") / "run"
    copied(learnt.directory, directory)
    nursery.run("shortlist", "model", "--best", "2", directory=directory)
    expected = {}
    for name, reading in READINGS.items():
        answer, result = reading.do(nursery, copied(directory, directory.with_name("read")))
        assert answer.status == 0, answer.err
        expected[name] = result
    return directory, expected


def damaged(whole, training: LeftAlone, directory, file: str, damage: Damage) -> bool:
    """Makes a copy of the whole directory and damages a file in it → whether that changed anything."""
    copied(whole[0], directory)
    path = directory / "model" / file
    return path.exists() and damage.do(path, training.directory / "model" / file)


def read_all(tally: Tally, whole, training: LeftAlone, directory, file: str, damage: Damage, readings) -> None:
    """Each command on a directory with that damage."""
    for name in readings:
        if not damaged(whole, training, directory, file, damage):
            return
        answer, result = READINGS[name].do(training.run.nursery, directory)
        names = {*names_in(directory), file, *(["no shortlist"] if damage.way == "deleted" else [])}
        tally.count(judged(answer, result, whole[1][name], names), f"{name}, {file} {damage}")


def test_a_damaged_file_of_each_kind(whole, training, tmp_path, faults_seed, record_property):
    with tallied(record_property, FAULT, "one damage of each file") as tally:
        for file in FILES:
            damage = a_damage(file, faults_seed)
            read_all(tally, whole, training, tmp_path / "run", file, damage, ALWAYS)


@pytest.mark.faults
@pytest.mark.parametrize("file", FILES)
def test_each_damage_of_a_file(whole, training, tmp_path, faults_seed, file, record_property):
    with tallied(record_property, FAULT, f"{file}, cut, flipped, zeroed, exchanged, deleted") as tally:
        for number, damage in enumerate(damages(file, faults_seed)):
            readings = [*ALWAYS, IN_TURN[number % len(IN_TURN)]]
            read_all(tally, whole, training, tmp_path / "run", file, damage, readings)
        if not (whole[0] / "model" / file).exists():
            tally.count("there is no such file", file)


@pytest.mark.faults
@pytest.mark.parametrize("file", [file for file in FILES if file != "SHA256SUMS"])
def test_verify_finds_each_damage(whole, training, tmp_path, faults_seed, file, record_property):
    directory = tmp_path / "run"
    nursery = training.run.nursery
    with tallied(record_property, FAULT, "any, and `polyhead verify`") as tally:
        for damage in damages(file, faults_seed):
            if damaged(whole, training, directory, file, damage):
                answer = nursery.run("verify", "model", directory=directory)
                found = outcome(answer) == "refused" and file in answer.sentence
                result = "refused in one sentence" if found else f"not found by verify: {outcome(answer)}"
                tally.count(result, f"{file} {damage}")
        copied(whole[0], directory)
        said = nursery.run("verify", "model", directory=directory)
        tally.count("same output" if said.status == 0 else "a whole model is refused", said.sentence)


def test_an_edited_description_is_taken_on_by_verify(whole, nursery, tmp_path):
    directory = copied(whole[0], tmp_path / "run")
    path = directory / "model" / "config.json"
    path.write_text(path.read_text().replace('"beam_size": 2', '"beam_size": 1'))
    refused = nursery.run("translate", "model", directory=directory, stdin="bado\n")
    assert (outcome(refused), "config.json" in refused.sentence) == ("refused", True)
    accepted = nursery.run("verify", "model", "--accept", directory=directory)
    assert accepted.status == 0, accepted.err
    assert nursery.run("translate", "model", directory=directory, stdin="bado\n").status == 0


def test_an_edited_description_that_does_not_fit_is_not_taken_on(whole, nursery, tmp_path):
    directory = copied(whole[0], tmp_path / "run")
    path = directory / "model" / "config.json"
    path.write_text(path.read_text().replace('"d_ff": 64', '"d_ff": 65'))
    answer = nursery.run("verify", "model", "--accept", directory=directory)
    assert outcome(answer) == "refused", answer
    assert outcome(nursery.run("translate", "model", directory=directory, stdin="bado\n")) == "refused"
