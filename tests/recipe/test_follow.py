"""Several processes train what one would have trained, and end together, whatever one of them meets with."""

import errno
import math
import signal
from pathlib import Path

import pytest
import torch

import polyhead.files
import polyhead.recipe.follow
import polyhead.training.checkpoint
from polyhead.errors import DataError, RecipeError, TrainingError, WriteError
from polyhead.recipe import validation
from polyhead.recipe.follow import follow
from polyhead.recipe.train import train
from polyhead.training.checkpoint import checkpoints, load_checkpoint
from polyhead.training.loop import Trainer
from polyhead.training.meter import Meter
from polyhead.training.optimizer import Optimizer
from polyhead.training.shares import Differentiation
from polyhead.training.world import Deserted
from tests.launches import weights
from tests.run_traces import metrics_of
from tests.together import together

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a process that has threads is copied

BPE = {"kind": "bpe", "vocabulary_size": 300, "dropout": 0.1}


def trained(size: int, values, resume: bool = False, before=lambda world: None):
    """Trains with so many processes, in each of which `before` changes something → what became of each."""

    def work(world):
        before(world)
        return train(values, resume=resume, world=world).finished if world.rank == 0 else follow(world)

    return together(size, work)


def alike(one, other, tolerance: float = 2e-4) -> bool:
    """Whether metrics are the same but for rounding."""
    return [line.keys() for line in one] == [line.keys() for line in other] and all(
        math.isclose(line[key], others[key], rel_tol=tolerance)
        for line, others in zip(one, other, strict=True)
        for key in line
    )


KINDS = {
    "muon": {},
    "adam": {"training__optimizer": {"kind": "adam"}, "model__tie_embeddings": "none"},
    "running mean": {
        "training__averaging": {"kind": "ema", "decay": 0.9},
        "training__optimizer": {"accumulation": 3},
        "data__sampled_epochs": 1,
        "tokenizer": BPE,
        "data__max_tokens": 64,
    },
    "fewer sentences than processes": {"data__batching": {"max_tokens": 200, "max_sentences": 3}},
    "recurrent": {"model": {"kind": "rnn-attention", "d_model": 16}},
}


@pytest.mark.parametrize("kind", KINDS)
def test_one_two_and_four_processes_learn_the_same(toy, kind):
    def values(out):
        made = toy.values(out, **{"model__dropout": 0.0, "training__max_updates": 12, **KINDS[kind]})
        return {**made, "model": {**KINDS[kind]["model"], "dropout": 0.0}} if "model" in KINDS[kind] else made

    alone = metrics_of(train(values("1")).directory)
    for size in (2, 4):
        assert trained(size, values(str(size))) == [True] * size
        found = metrics_of(toy.directory / str(size))
        assert alike(alone, found)
        assert [line["target_tokens"] for line in found if "loss" in line] == [
            line["target_tokens"] for line in alone if "loss" in line
        ]


def test_what_is_a_worker_to_one_process_is_a_process_to_several(toy):
    """Dropout too: it depends on the share of a batch, whoever computes it."""
    keys = {"model__dropout": 0.3, "training__optimizer": {"accumulation": 2}, "training__max_updates": 8}
    alone = metrics_of(train(toy.values("4 workers", training__workers=4, **keys)).directory)
    other = metrics_of(train(toy.values("3 workers", training__workers=3, **keys)).directory)
    for size, workers in ((4, 1), (2, 2)):
        out = f"{size} × {workers}"
        trained(size, toy.values(out, training__workers=workers, **keys))
        assert alike(alone, metrics_of(toy.directory / out))
    assert not alike(alone, other)


def test_in_bfloat16_too(toy):
    keys = {"model__dropout": 0.0, "training__precision": "bfloat16"}
    alone = metrics_of(train(toy.values("1", **keys)).directory)
    assert trained(2, toy.values("2", **keys)) == [True] * 2
    found = metrics_of(toy.directory / "2")
    assert [line["update"] for line in found] == [line["update"] for line in alone]
    assert abs(found[-1]["dev_loss"] - alone[-1]["dev_loss"]) < 0.05


def test_scores_are_those_of_one_process_to_the_bit(toy, toy_model):
    """There are several batches, and as many sentences as can't be divided evenly."""
    from polyhead.bundle.load import load_bundle
    from polyhead.recipe.load import make_recipe
    from polyhead.recipe.prepare import read_pairs

    pairs = read_pairs(make_recipe(toy.values(data__dev=[toy.write("more", 301, seed=1)])).data, 1).dev
    bundle = load_bundle(toy_model)
    trained_weights = {name: weight.detach().clone() for name, weight in bundle.model.named_parameters()}

    def work(world):
        judge = validation.Validator(bundle, pairs, None, world=world)
        return judge.scores(world.all_gather(judge.part(trained_weights)))

    judge = validation.Validator(bundle, pairs, None)
    assert len(judge._batches) > 3
    alone = judge.scores([judge.part(trained_weights)])
    assert 0 < alone["dev_bleu"] < 100
    assert together(3, work) == [alone] * 3


def test_a_run_goes_on_with_any_number_of_processes(toy):
    keys = {"model__dropout": 0.0, "training__validate_every": 4}
    alone = metrics_of(train(toy.values("alone", **keys)).directory)
    for size, updates in ((1, 4), (2, 9), (4, 13), (1, 17), (3, 20)):

        def stop(world, updates=updates):
            update = Trainer._update

            def stopping(self, *given):
                result = update(self, *given)
                self.interrupt.requested = self.progress.update == updates and updates < 20 and world.rank == 0
                return result

            Trainer._update = stopping

        values, resume = toy.values("model", **keys), updates > 4
        assert trained(size, values, resume, stop) == [updates == 20] * size
    assert alike(alone, metrics_of(toy.directory / "model"))


@pytest.mark.parametrize("moment", ["an update", "a validation"])
def test_a_signal_to_one_process_stops_all_after_the_same_update(toy, moment):
    """Gone on with, the run ends as it would have, to the bit."""
    keys = {"model__dropout": 0.2, "training__averaging": {"kind": "ema", "decay": 0.9}}
    assert trained(2, toy.values("calm", **keys)) == [True, True]

    def signalled(world):
        update, part = Trainer._update, validation.Validator.part

        def updating(self, *given):
            if self.progress.update == 4:
                signal.raise_signal(signal.SIGTERM)
            return update(self, *given)

        def judging(self, weights):
            signal.raise_signal(signal.SIGTERM)
            return part(self, weights)

        if world.rank == 1 and moment == "an update":
            Trainer._update = updating
        elif world.rank == 1:
            validation.Validator.part = judging

    assert trained(2, toy.values("model", **keys), before=signalled) == [False, False]
    (newest,) = checkpoints(toy.directory / "model" / "training" / "checkpoints")
    progress = load_checkpoint(newest)[0]
    assert (progress.update, progress.unjudged) == ((5, False) if moment == "an update" else (8, True))
    assert trained(2, toy.values("model", **keys), resume=True) == [True, True]
    assert metrics_of(toy.directory / "model") == metrics_of(toy.directory / "calm")
    assert weights(toy.directory / "model") == weights(toy.directory / "calm")


def test_a_finished_run_is_finished_for_all(toy):
    trained(2, toy.values())
    before = weights(toy.directory / "model")
    assert trained(2, toy.values(), resume=True) == [True, True]
    assert weights(toy.directory / "model") == before


def test_a_finished_run_without_its_snapshots_is_judged_again_by_all(toy):
    trained(2, toy.values())
    training = toy.directory / "model" / "training"
    for path in (training / "snapshots").glob("*.safetensors"):
        path.write_bytes(b"damaged")
    (training / "scores.json").unlink()
    assert trained(2, toy.values(), resume=True) == [True, True]
    assert (training / "scores.json").exists()


def test_what_does_not_fit_one_memory_is_cut_smaller_by_all(toy, capfd):
    def narrow(world):
        differentiate = Differentiation._differentiate

        def limited(self, share):
            if world.rank == 1 and len(share[0].source) > 2:
                raise MemoryError
            return differentiate(self, share)

        Differentiation._differentiate = limited

    keys = {"model__dropout": 0.0}
    alone = metrics_of(train(toy.values("alone", **keys)).directory)
    assert trained(2, toy.values("model", **keys), before=narrow) == [True, True]
    assert alike(alone, metrics_of(toy.directory / "model"))
    newest = checkpoints(toy.directory / "model" / "training" / "checkpoints")[-1]
    assert load_checkpoint(newest)[0].rounds > 1


def test_the_clock_of_process_0_is_everybodys(toy):
    """The other process thinks that an hour has passed with every look at its clock."""

    def fast(world):
        if world.rank == 1:
            calls = iter(range(1, 1_000_000))
            Meter.seconds = lambda self: 3600.0 * next(calls)

    values = toy.values(training__minutes=30.0, training__schedule={"kind": "wsd", "warmup": 2, "learning_rate": 0.01})
    assert trained(2, values, before=fast) == [True, True]
    assert metrics_of(toy.directory / "model")[-1]["update"] == 20


def test_all_end_once_one_has_learnt_enough(toy):
    values = toy.values(
        training__patience=1, training__validate_every=2, training__schedule={"kind": "constant", "learning_rate": 1e-9}
    )
    assert trained(2, values) == [True, True]
    assert metrics_of(toy.directory / "model")[-1]["update"] < 20


def test_only_process_0_writes(toy):
    def forbidden(world):
        if world.rank == 1:

            def refuse(*given, **more):
                raise OSError(errno.EROFS, "this process writes nothing")

            for function in ("mkdir", "touch", "unlink", "rename", "replace", "rmdir"):
                setattr(Path, function, refuse)
            polyhead.files._create = refuse

    assert trained(2, toy.values(), before=forbidden) == [True, True]
    assert not list(toy.directory.rglob("*.unfinished"))


def before_reading(change):
    """Does something before this process, which is not process 0, reads the corpus."""
    read = polyhead.recipe.follow.read_corpus

    def read_corpus(*given):
        change()
        return read(*given)

    polyhead.recipe.follow.read_corpus = read_corpus


def test_a_machine_without_the_corpus_says_so_and_all_end(toy):
    def without(world):
        if world.rank == 1:
            before_reading(lambda: (toy.directory / "train.source").unlink())

    found = trained(2, toy.values(), before=without)
    assert [each.kind for each in found] == [Deserted, DataError]
    assert "train.source" in found[1].message


def test_other_text_on_another_machine_is_noticed(toy):
    def changed(world):
        if world.rank == 1:
            before_reading(lambda: toy.write("train", 149))

    found = trained(2, toy.values(), before=changed)
    assert [each.kind for each in found] == [Deserted, RecipeError]
    assert found[1].message.startswith(
        "process 1 reads other sentence pairs than process 0 from the files of data.train: every machine must have"
    )
    assert not (toy.directory / "model").exists()


def test_a_full_disk_of_process_0_ends_all(toy):
    def full(world):
        def refuse(*given):
            raise WriteError("the disk is full")

        if world.rank == 0:
            polyhead.training.kept.Kept.save_checkpoint = refuse

    found = trained(2, toy.values(), before=full)
    assert [each.kind for each in found] == [WriteError, Deserted]


def test_a_loss_that_is_no_number_ends_all_for_one_reason(toy):
    def ruin(world):
        step = Optimizer.step

        def ruined(self, *given):
            return step(self, *given) * math.nan

        Optimizer.step = ruined

    found = trained(2, toy.values(), before=ruin)
    assert [each.kind for each in found] == [TrainingError] * 2
    assert all("the gradient's norm is nan" in each.message for each in found)


def test_a_process_that_computes_otherwise_is_noticed_before_anything_is_written(toy):
    def otherwise(world):
        step = Optimizer.step

        def stepped(self, *given):
            norm = step(self, *given)
            if world.rank == 1:
                with torch.no_grad():
                    next(iter(self.masters.values())).view(-1)[0].add_(1e-6)
            return norm

        Optimizer.step = stepped

    found = trained(2, toy.values(), before=otherwise)
    assert [each.message[:60] for each in found] == ["after update 8 the weights of process 1 are not those of pro"] * 2
    assert not checkpoints(toy.directory / "model" / "training" / "checkpoints")
    assert not (toy.directory / "model" / "model.safetensors").exists()


def test_every_process_holds_the_same_weights_after_every_update(toy):
    from polyhead.training.alike import digest_of_weights

    def work(world):
        found = []
        step = Optimizer.step

        def stepped(self, *given):
            norm = step(self, *given)
            found.append(digest_of_weights(self.masters))
            return norm

        Optimizer.step = stepped
        _ = train(toy.values(), world=world) if world.rank == 0 else follow(world)
        return found

    first, *others = together(3, work)
    assert len(set(first)) == 20
    assert others == [first] * 2
