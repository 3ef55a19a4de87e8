"""A model divided among processes learns what an undivided one learns, whatever becomes of one of them."""

import errno
import os
import signal

import pytest
import safetensors.torch

from polyhead.errors import RecipeError, TrainingError, WriteError
from polyhead.recipe import divided
from polyhead.recipe.follow import follow
from polyhead.recipe.train import train
from polyhead.training.loop import Trainer
from polyhead.training.parallel import seed_of
from polyhead.training.sharded.differentiation import ShardedDifferentiation
from polyhead.training.sharded.shards import Shards
from polyhead.training.world import Deserted
from tests.launches import weights
from tests.recipe.test_follow import KINDS, alike, trained
from tests.run_traces import metrics_of
from tests.together import together

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a process that has threads is copied

SHARDED = {"model__dropout": 0.0, "training__sharded": True}
DIVIDED = {
    **KINDS,
    "pre-norm": {
        "model": {"norm": "pre", "positions": "learned", "activation": "swiglu", "max_length": 33, "num_heads": 2}
    },
    "more processes than rows": {"model": {"d_model": 2, "d_ff": 2, "num_heads": 1}},
}
LARGE = {"encoder_layers": 1, "decoder_layers": 1, "d_model": 16, "d_ff": 32}
SMALL = ["muon", "adam", "running mean", "fewer sentences than processes"]
"""The kinds that are tested with two processes every time; the others, and more processes, when slow tests are."""


def of_kind(toy, kind: str, out: str, **keys):
    made = toy.values(out, **{"model__dropout": 0.0, "training__max_updates": 12, **DIVIDED[kind], **keys})
    if "model" in DIVIDED[kind]:
        large = {} if "kind" in DIVIDED[kind]["model"] else LARGE
        return {**made, "model": {**large, **DIVIDED[kind]["model"], "dropout": 0.0}}
    return made


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        *((kind, 2) for kind in SMALL),
        *(pytest.param(kind, 2, marks=pytest.mark.slow) for kind in DIVIDED if kind not in SMALL),
        *(pytest.param(kind, size, marks=pytest.mark.slow) for kind in DIVIDED for size in (3, 4)),
    ],
)
def test_it_learns_what_an_undivided_model_learns(toy, kind, size):
    alone = metrics_of(train(of_kind(toy, kind, "alone")).directory)
    assert trained(size, of_kind(toy, kind, "model", training__sharded=True)) == [True] * size
    found = metrics_of(toy.directory / "model")
    assert alike(alone, found)
    assert [line.get("target_tokens") for line in found] == [line.get("target_tokens") for line in alone]


def test_a_gradient_that_is_clipped_is_clipped_by_its_whole_norm(toy):
    keys = {"model__dropout": 0.0, "training__optimizer": {"kind": "adam", "clip_norm": 0.01, "epsilon": 0.01}}
    alone = metrics_of(train(toy.values("alone", **keys)).directory)
    assert trained(2, toy.values("model", training__sharded=True, **keys)) == [True] * 2
    assert alike(alone, metrics_of(toy.directory / "model"))


def test_dropout_is_that_of_as_many_workers(toy):
    """Of plain PyTorch, for which each worker needs two cores."""
    keys = {"model__dropout": 0.3, "training__max_updates": 8}
    assert trained(1, toy.values("alone", threads=4, training__workers=2, **keys)) == [True]
    alone = metrics_of(toy.directory / "alone")
    assert trained(2, toy.values("model", threads=2, training__sharded=True, **keys)) == [True] * 2
    assert alike(alone, metrics_of(toy.directory / "model"))


def test_in_bfloat16_too(toy):
    keys = {"model__dropout": 0.0, "training__precision": "bfloat16"}
    alone = metrics_of(train(toy.values("alone", **keys)).directory)
    assert trained(2, toy.values("model", training__sharded=True, **keys)) == [True] * 2
    found = metrics_of(toy.directory / "model")
    assert [line["update"] for line in found] == [line["update"] for line in alone]
    assert abs(found[-1]["dev_loss"] - alone[-1]["dev_loss"]) < 0.05


def stopping_after(update: int, of: int = 0):
    """What makes a process ask for an end after an update."""

    def stop(world):
        step = Trainer._update

        def stepped(self, *given):
            result = step(self, *given)
            self.interrupt.requested = self.progress.update == update and world.rank == of
            return result

        Trainer._update = stepped

    return stop


TWO = ((2, True, 5), (2, False, 11), (2, True, 20))
MANY = ((2, True, 4), (4, True, 9), (1, False, 12), (3, True, 15), (4, False, 17), (2, True, 20))


@pytest.mark.parametrize("sittings", [TWO, pytest.param(MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mean", ["last", "ema"])
def test_a_run_goes_on_with_any_number_of_processes_divided_or_not(toy, sittings, mean):
    keys = {
        "model__dropout": 0.0,
        "training__validate_every": 4,
        "training__averaging": {"kind": mean, "decay": 0.9},
        "training__optimizer": {"kind": "muon"},
    }
    alone = metrics_of(train(toy.values("alone", **keys)).directory)
    for sitting, (size, sharded, last) in enumerate(sittings):
        values = toy.values("model", training__sharded=sharded, **keys)
        stop = stopping_after(last) if last < 20 else lambda world: None
        assert trained(size, values, sitting > 0, stop) == [last == 20] * size
    assert alike(alone, metrics_of(toy.directory / "model"))


def test_a_process_that_is_killed_costs_nothing_but_time(toy):
    """It is killed in the middle of update 13: the run goes on from update 8 and ends with the very same weights."""
    keys = {**SHARDED, "model__dropout": 0.2, "training__optimizer": {"kind": "muon"}}
    assert trained(2, toy.values("calm", **keys)) == [True, True]

    def killed(world):
        differentiate = ShardedDifferentiation._differentiate

        def dying(self, *given):
            if world.rank == 1 and given[1] == of_update_13:
                os.kill(os.getpid(), signal.SIGKILL)
            return differentiate(self, *given)

        of_update_13 = seed_of(seed_of(1, 1), 12, 1)
        ShardedDifferentiation._differentiate = dying

    with pytest.raises(AssertionError, match="a process was killed"):
        trained(2, toy.values("model", **keys), before=killed)
    assert trained(2, toy.values("model", **keys), resume=True) == [True, True]
    assert metrics_of(toy.directory / "model") == metrics_of(toy.directory / "calm")
    assert weights(toy.directory / "model") == weights(toy.directory / "calm")


def test_a_damaged_part_makes_the_run_go_on_from_the_checkpoint_before(toy):
    keys = {**SHARDED, "training__validate_every": 4}
    assert trained(2, toy.values("calm", **keys)) == [True, True]
    assert trained(2, toy.values("model", **keys), before=stopping_after(10)) == [False, False]
    checkpoints = toy.directory / "model" / "training" / "checkpoints"
    newest = max(checkpoints.glob("*.parts"))
    part = max(newest.glob("*.safetensors"))
    part.write_bytes(part.read_bytes()[:-1] + b"?")
    assert trained(2, toy.values("model", **keys), resume=True) == [True, True]
    assert weights(toy.directory / "model") == weights(toy.directory / "calm")
    assert sorted(path.name[:15] for path in checkpoints.glob("*.parts")) == ["update-00000016", "update-00000020"]


def test_an_allocation_that_fails_ends_all_and_says_what_to_do(toy):
    def narrow(world):
        loss = divided.divide

        def without(*given):
            found = loss(*given)
            if world.rank == 1:

                def refuse(*given):
                    raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried")

                found[0].model.decoder.register_forward_pre_hook(refuse)
            return found

        divided.divide = without

    found = trained(2, toy.values(**SHARDED), before=narrow)
    assert [each.kind for each in found] == [Deserted, TrainingError]
    assert found[1].message.startswith(
        "update 1: the share of process 1 of a batch does not fit its memory; start more processes, also with"
    )
    assert "gloo" in found[0].message or "closed" in found[0].message


def test_a_full_disk_of_another_process_ends_all(toy):
    def full(world):
        save = safetensors.torch.save

        def refuse(*given, **more):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        safetensors.torch.save = refuse if world.rank == 1 else save

    found = trained(2, toy.values(**SHARDED), before=full)
    assert [each.kind for each in found] == [Deserted, WriteError]
    assert "No space left" in found[1].message
    assert not list((toy.directory / "model" / "training" / "checkpoints").iterdir())


def test_a_signal_to_one_process_stops_all_after_the_same_update(toy):
    keys = {**SHARDED, "model__dropout": 0.2, "training__averaging": {"kind": "ema", "decay": 0.9}}
    assert trained(2, toy.values("calm", **keys)) == [True, True]
    assert trained(2, toy.values("model", **keys), before=stopping_after(5, of=1)) == [False, False]
    assert trained(2, toy.values("model", **keys), resume=True) == [True, True]
    assert metrics_of(toy.directory / "model") == metrics_of(toy.directory / "calm")
    assert weights(toy.directory / "model") == weights(toy.directory / "calm")


def test_directories_that_are_not_shared_are_noticed_before_training(toy, tmp_path):
    """The other process has another working directory, from which the path leads elsewhere."""

    def elsewhere(world):
        place = tmp_path / str(world.rank)
        place.mkdir()
        os.chdir(place)

    found = trained(2, {**toy.values(**SHARDED), "out": "model"}, before=elsewhere)
    assert [each.kind for each in found] == [TrainingError] * 2
    assert found[0].message.startswith("process 1 doesn't see model/training/checkpoints, where process 0 writes; a di")


def test_a_process_by_itself_has_nobody_to_divide_a_model_with(toy):
    with pytest.raises(RecipeError, match="torchrun --nproc-per-node N"):
        train(toy.values(**SHARDED))
    assert not (toy.directory / "model").exists()


@pytest.mark.parametrize(("key", "value"), [("workers", 2), ("precision", "int8")])
def test_what_needs_whole_weights_is_refused(toy, key, value):
    found = trained(2, toy.values(**SHARDED, **{f"training__{key}": value}))
    assert [each.kind for each in found] == [RecipeError, Deserted]
    assert f"training.{key}" in found[0].message
    assert "training.sharded = true exclude each other" in found[0].message


def test_no_workers_are_chosen_for_a_divided_model(toy):
    values = toy.values(threads=2, data__batching={"max_tokens": 8192}, training__max_updates=1, **SHARDED)
    assert trained(2, values) == [True, True]
    record = (toy.directory / "model" / "training" / "recipe.toml").read_text()
    assert "workers = 1" in record
    assert "threads = 2" in record


def test_whole_weights_are_in_a_memory_for_validations_alone(toy):
    def work(world):
        held: list[int] = []
        judged = divided.Forgetting.part

        def part(self, whole):
            found = judged(self, whole)
            held.append(sum(each.numel() for each in self.bundle.model.parameters()))
            return found

        divided.Forgetting.part = part
        _ = train(toy.values(**SHARDED), world=world) if world.rank == 0 else follow(world)
        return held

    assert together(2, work) == [[0, 0, 0]] * 2


def test_no_process_holds_more_than_its_rows(toy):
    def work(world):
        found: list[tuple[int, int]] = []
        hold = Shards.hold

        def holding(self, *given):
            held = hold(self, *given)
            shapes = self.shapes.values()
            found.append((sum(each.numel() for each in held.weights.values()), sum(each.numel() for each in shapes)))
            return held

        Shards.hold = holding
        _ = train(toy.values(**SHARDED), world=world) if world.rank == 0 else follow(world)
        return found

    for ((held, all_),) in together(2, work):
        assert held <= all_ / 2 + 16 * 4
