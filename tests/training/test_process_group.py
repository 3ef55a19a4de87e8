"""Processes that add up, tell and gather; and one that is lost."""

import os
import signal

import pytest
import torch
import torch.distributed as dist

from polyhead.errors import TrainingError
from polyhead.training import process_group
from polyhead.training.alike import check_alike
from polyhead.training.process_group import ProcessGroup, answered_while_computing
from polyhead.training.world import ALONE, Deserted
from tests.together import places, started, together

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a process that has threads is copied


def test_numbers_are_added_up_exactly():
    assert (
        together(3, lambda world: world.all_reduce([0.1, 2**53, world.rank, True]))
        == [[0.1 * 3, 3.0 * 2**53, 3, 3]] * 3
    )
    assert ALONE.all_reduce([0.1, 7, True]) == [0.1, 7, True]


def test_tensors_are_added_up_in_place_in_buckets_whatever_their_shapes(monkeypatch):
    monkeypatch.setattr(process_group, "BUCKET", 100)

    def work(world):
        draw = torch.Generator().manual_seed(world.rank)
        tensors = [torch.rand(shape, generator=draw) for shape in [(3, 4), (50,), (), (2, 2), (0,)]]
        tensors.insert(2, torch.rand(5, generator=draw, dtype=torch.float64))
        before = [each.clone() for each in tensors]
        world.all_reduce_(tensors)
        return before, tensors

    found = together(3, work)
    for number, total in enumerate(found[0][1]):
        expected = sum(before[number] for before, _ in found)
        assert torch.allclose(total, expected)
        assert all(sums[number].equal(total) for _, sums in found), "not the same bits everywhere"


def test_too_few_gpus_on_one_machine_end_the_processes_of_all(monkeypatch):
    """The others would wait for those of that machine, in NCCL."""

    def work(world):
        monkeypatch.setattr(torch.cuda, "device_count", lambda: world.local_size - world.rank)
        with pytest.raises(TrainingError) as error:
            world._group_of_devices()
        return str(error.value)

    found = together(2, work)
    assert found[0] == found[1]
    assert "2 processes and 1 GPUs on the machine of process 1:" in found[0]


def test_what_process_0_says_all_hear_and_all_can_be_heard():
    found = together(2, lambda world: (world.broadcast(("a", world.rank)), world.all_gather(world.rank * 10)))
    assert found == [(("a", 0), [0, 10])] * 2
    assert (ALONE.broadcast(5), ALONE.all_gather(5)) == (5, [5])


def test_tensors_of_process_0_come_to_all_with_their_names_and_dtypes():
    tensors = {"a": torch.arange(6).view(2, 3).t(), "b": torch.tensor(1.5), "c": torch.zeros(2, dtype=torch.bfloat16)}
    for found in together(2, lambda world: world.broadcast_tensors(tensors if world.rank == 0 else {})):
        assert found.keys() == tensors.keys()
        for name, tensor in tensors.items():
            assert found[name].dtype == tensor.dtype
            assert found[name].equal(tensor)


def test_each_process_gets_from_each_what_is_for_it():
    """Process r sends r + 1 numbers to process 0, and one to the other."""

    def work(world):
        sent = [torch.full((world.rank + 1,), 10.0 * world.rank), torch.full((1,), 10.0 * world.rank + 1)]
        return world.all_to_all(sent, [1, 2] if world.rank == 0 else [1, 1])

    found = [[each.tolist() for each in parts] for parts in together(2, work)]
    assert found == [[[0.0], [10.0, 10.0]], [[1.0], [11.0]]]


def test_only_errors_of_talking_say_that_another_process_is_lost():
    with pytest.raises(Deserted), answered_while_computing():
        raise RuntimeError(
            "[/x/third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [127.0.0.1]:1"
        )
    with pytest.raises(Deserted), answered_while_computing():
        raise dist.DistNetworkError("Broken pipe")
    with pytest.raises(RuntimeError, match="sizes"), answered_while_computing():
        raise RuntimeError("sizes differ")


def test_that_a_run_has_begun_is_known_to_all():
    def work(world):
        before = world.has_begun()
        world.all_gather(0)
        if world.rank == 0:
            world.begin()
        world.all_gather(0)
        return before, world.has_begun(), world.is_to_stop()

    assert together(2, work) == [(False, True, False)] * 2
    assert (ALONE.has_begun(), ALONE.is_to_stop()) == (False, False)


@pytest.mark.parametrize(
    "call", ["all_reduce", "all_reduce_", "broadcast", "all_gather", "broadcast_tensors", "all_to_all", "close"]
)
def test_a_process_that_is_killed_is_missed_at_once_and_in_one_sentence(call, tmp_path):
    def work(place):
        world = ProcessGroup(place)
        world.all_gather(0)
        if place.rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        given = {
            "all_reduce": [1],
            "all_reduce_": [torch.ones(9)],
            "broadcast": 1,
            "all_gather": 1,
            "broadcast_tensors": {"a": torch.ones(1)},
        }
        given["all_to_all"] = [torch.ones(1)] * 2, [1, 1]
        for _ in range(100):  # what is only sent may seem to arrive
            arguments = given.get(call, ())
            getattr(world, call)(*arguments if call == "all_to_all" else [arguments] if call in given else [])

    with started([lambda p=place: work(p) for place in places(2)], tmp_path) as results:
        error = results[0]()
    assert error.kind is Deserted
    assert error.message.startswith("another process of this run has ended or cannot be reached (")
    assert len(error.message) < 300
    assert "pair.cc" not in error.message


def test_processes_that_do_not_find_each_other_say_so(tmp_path, monkeypatch):
    from datetime import timedelta

    monkeypatch.setattr(process_group, "PATIENCE", timedelta(seconds=1))
    monkeypatch.setattr(process_group, "FINDING", timedelta(seconds=1))
    with started([lambda: ProcessGroup(places(2)[0])], tmp_path) as results:
        error = results[0]()
    assert error.kind is TrainingError
    assert "process 0 of 2 does not find the others at 127.0.0.1:" in error.message


def test_processes_that_were_brought_together_already_stay_together(tmp_path):
    def work(place):
        file = dist.FileStore(str(tmp_path / "store"), 2)
        dist.init_process_group("gloo", store=file, rank=place.rank, world_size=2)
        world = ProcessGroup(place)
        found = world.all_reduce([place.rank + 1])
        world.close()
        return found, dist.is_initialized()

    with started([lambda p=place: work(p) for place in places(2)], tmp_path) as results:
        assert [result() for result in results] == [([3], True)] * 2


def test_the_store_of_who_brought_them_together_is_theirs_too(tmp_path):
    """As under Ray Train: process 0 itself has made the store at the port that the environment names."""

    def work(place):
        store = f"tcp://{place.address}:{place.port}"
        dist.init_process_group("gloo", init_method=store, rank=place.rank, world_size=2)
        world = ProcessGroup(place)
        if place.rank == 0:
            world.begin()
        world.all_gather(0)
        found = world.has_begun()
        world.close()
        return found

    with started([lambda p=place: work(p) for place in places(2)], tmp_path) as results:
        assert [result() for result in results] == [True] * 2


def test_weights_that_differ_in_one_bit_are_noticed_by_all():
    weights = {"a": torch.zeros(3), "b": torch.ones(2, 2).bfloat16()}

    def work(world):
        check_alike(world, weights, 7)
        mine = {**weights, "a": torch.tensor([0.0, -0.0 if world.rank == 2 else 0.0, 0.0])}
        check_alike(world, mine, 8)

    for error in together(3, work):
        assert error.kind is TrainingError
        assert error.message.startswith("after update 8 the weights of process 2 are not those of process 0")
