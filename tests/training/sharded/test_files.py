"""Checkpoints to which several processes write: damage is found, and nothing in them is executed."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from polyhead.errors import TrainingError
from polyhead.manifest import accept, listed_file
from polyhead.recipe.divided import write_checkpoint
from polyhead.recipe.verify import find_differences
from polyhead.training.checkpoint import (
    Parts,
    Progress,
    checkpoints,
    describe_checkpoint,
    load_checkpoint,
    parts_of,
    save_checkpoint,
    save_checkpoint_of_parts,
)
from polyhead.training.kept import remove_older
from polyhead.training.sharded.rows import rows_in_file, rows_in_parts
from polyhead.training.sharded.shards import Shards
from tests.together import together

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a process that has threads is copied

CPU = torch.device("cpu")
SHAPES = {"a": torch.Size((7, 3)), "b.c": torch.Size((2,)), "one": torch.Size((1, 4))}
"""Names and shapes of weights; with four processes some have no rows of some."""


def whole_state() -> dict[str, torch.Tensor]:
    draw = torch.Generator().manual_seed(4)
    state = {f"weights.{name}": torch.rand(shape, generator=draw) for name, shape in SHAPES.items()}
    state |= {f"adam.exp_avg.{name}": torch.rand(shape, generator=draw) for name, shape in SHAPES.items()}
    return {**state, **{f"adam.step.{name}": torch.tensor(7.0) for name in SHAPES}}


def held(shards: Shards) -> dict[str, torch.Tensor]:
    rank = shards.world.rank
    return {
        name: each[shards.rows(name.rpartition("exp_avg.")[2].removeprefix("weights."), rank)] if each.ndim else each
        for name, each in whole_state().items()
    }


def write(directory: Path, size: int, update: int = 8) -> None:
    """A checkpoint to which so many processes have written."""

    def work(world):
        write_checkpoint(Shards(world, world.mesh(CPU), SHAPES), directory, Progress(update=update), held_by(world))

    def held_by(world):
        return held(Shards(world, world.mesh(CPU), SHAPES))

    assert together(size, work) == [None] * size


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("checkpoints")
    write(directory, 4)
    return directory


@pytest.fixture
def copied(written, tmp_path) -> Path:
    """A checkpoint's directory that a test may damage."""
    return Path(shutil.copytree(written, tmp_path / "checkpoints"))


def same(found, expected) -> bool:
    return found.keys() == expected.keys() and all(found[name].equal(each) for name, each in expected.items())


def test_each_process_writes_its_rows_and_one_process_reads_all(written):
    (head,) = checkpoints(written)
    parts = parts_of(head)
    assert parts is not None
    assert parts.files == len(list((written / parts.folder).glob("*.safetensors"))) == 4
    assert load_file(written / parts.folder / "shard-00002-model-00001-of-00001.safetensors")["weights.a"].shape == (
        2,
        3,
    )
    progress, tensors = load_checkpoint(head)
    assert progress == Progress(update=8)
    assert same(tensors, whole_state())
    assert same(
        {name: torch.zeros(each.shape) for name, each in describe_checkpoint(head)[1].items()},
        {name: torch.zeros(each.shape) for name, each in whole_state().items()},
    )


def test_nothing_but_safetensors_and_digests_is_written(written):
    assert {path.name if path.suffix == "" else path.suffix for path in written.rglob("*") if path.is_file()} == {
        ".safetensors",
        "SHA256SUMS",
    }


@pytest.mark.parametrize("size", [2, 3])
def test_other_numbers_of_processes_read_their_rows(written, tmp_path, size):
    one = save_checkpoint(tmp_path, Progress(update=3), whole_state())

    def work(world):
        shards = Shards(world, world.mesh(CPU), SHAPES)
        (head,) = checkpoints(written)
        described = describe_checkpoint(head)[1]
        in_parts = rows_in_parts(head.parent / parts_of(head).folder, described, shards, CPU)
        in_file = rows_in_file(one, describe_checkpoint(one)[1], shards, CPU)
        return same(in_parts, held(shards)), same(in_file, held(shards))

    assert together(size, work) == [(True, True)] * size


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def without_rows(path: Path) -> None:
    """A file that is whole and listed, but lacks rows that no other has."""
    with safe_open(path, "pt") as file:
        metadata = file.metadata()
    tensors = load_file(path)
    del tensors["weights.a"]
    save_file(tensors, path, metadata)
    accept(path.parent)


def elsewhere(path: Path) -> None:
    """Rows that are said to begin where none can be."""
    offsets = {name: {"saved_offsets": [-5] * each.ndim} for name, each in load_file(path).items()}
    save_file(load_file(path), path, {"DCP_SHARDING_INFO": json.dumps(offsets)})
    accept(path.parent)


def no_json(path: Path) -> None:
    save_file(load_file(path), path, {"DCP_SHARDING_INFO": "]"})
    accept(path.parent)


def one_more(path: Path) -> None:
    shutil.copy(path, path.with_name("shard-00009-model-00001-of-00001.safetensors"))


def no_list(path: Path) -> None:
    path.with_name("SHA256SUMS").unlink()


DAMAGE = [
    flip,
    Path.unlink,
    without_rows,
    elsewhere,
    no_json,
    one_more,
    no_list,
    lambda path: shutil.rmtree(path.parent),
]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("load", [load_checkpoint, describe_checkpoint])
def test_damage_is_found_and_said_in_one_sentence(copied, damage, load):
    (head,) = checkpoints(copied)
    damage(copied / parts_of(head).folder / "shard-00001-model-00001-of-00001.safetensors")
    with pytest.raises(TrainingError) as raised:
        load(head)
    assert len(str(raised.value)) < 400
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "folder", ["../elsewhere", "/tmp", "update-00000008.0123abcd.parts/..", "update-00000008.0123abcd.parts\n"]
)
def test_a_folder_anywhere_else_is_refused(copied, folder):
    (head,) = checkpoints(copied)
    with listed_file(head) as temporary:
        save_file({}, temporary, {"progress": "{}", "parts": json.dumps({"folder": folder, "files": 1})})
    with pytest.raises(TrainingError, match="not a checkpoint that this version can resume from"):
        load_checkpoint(head)


def test_pickle_is_never_read(copied):
    """Even where somebody has put what the library would usually read into the folder."""
    (head,) = checkpoints(copied)
    folder = copied / parts_of(head).folder
    (folder / ".metadata").write_bytes(b"cos\nsystem\n(S'touch executed'\ntR.")
    assert same(load_checkpoint(head)[1], whole_state())
    assert not Path("executed").exists()


def test_verify_looks_at_the_parts_too(copied, tmp_path):
    model = tmp_path / "model"
    (model / "training").mkdir(parents=True)
    shutil.move(copied, model / "training" / "checkpoints")
    assert find_differences(model).differences == {}
    part = next((model / "training" / "checkpoints").glob("*.parts/*.safetensors"))
    flip(part)
    assert find_differences(model).differences == {part: "not as it was written"}


def test_parts_go_with_their_checkpoint(tmp_path):
    (tmp_path / "snapshots").mkdir()
    directory = tmp_path / "checkpoints"
    directory.mkdir()
    folders = [f"update-{update:08d}.0123abcd.parts" for update in (1, 2, 3)]
    for update, folder in enumerate(folders, start=1):
        (directory / folder).mkdir()
        save_checkpoint_of_parts(directory, Progress(update=update), Parts(folder=folder, files=1))
    (directory / "update-00000003.ffffffff.parts").mkdir()  # a kill came before there was a checkpoint of it
    remove_older(tmp_path, 3)
    assert sorted(path.name for path in directory.glob("*.parts")) == folders[1:]
