"""Rows of weights in several processes: put together, made whole by one of them, and measured all together."""

from collections.abc import Sequence

import pytest
import torch

from polyhead.training.division import UNDIVIDED, Stack
from polyhead.training.sharded.shards import Shards
from tests.together import together

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a process that has threads is copied

SHAPES = {name: torch.Size(shape) for name, shape in {"a": (6, 4), "b": (3, 8), "c": (1, 5), "d": (9, 2)}.items()}
MAPS = {"a": 2, "b": 1, "c": 1, "d": 3}


def whole() -> dict[str, torch.Tensor]:
    draw = torch.Generator().manual_seed(2)
    return {name: torch.randn(shape, generator=draw) for name, shape in SHAPES.items()}


def make(given: Sequence[torch.Tensor]) -> torch.Tensor:
    """Something that needs every number of a map: each is divided by the map's sum of squares."""
    maps = torch.stack(list(given))
    return maps / maps.square().sum((1, 2), keepdim=True)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_what_is_made_of_whole_matrices_comes_back_to_who_holds_their_rows(size):
    def work(world):
        shards = Shards(world, world.mesh(torch.device("cpu")), SHAPES)
        held = {name: each[shards.rows(name, world.rank)] for name, each in whole().items()}
        made = shards.made([Stack(name, each, MAPS[name]) for name, each in held.items()], make)
        norm = float(shards.norm(torch.cat([each.flatten() for each in held.values()]).norm()))
        return shards.whole(dict(zip(held, made, strict=True))), norm, shards.whole(held)

    expected = UNDIVIDED.made([Stack(name, each, MAPS[name]) for name, each in whole().items()], make)
    for made, norm, same in together(size, work):
        torch.testing.assert_close(made, dict(zip(SHAPES, expected, strict=True)))
        assert norm == pytest.approx(float(torch.cat([each.flatten() for each in whole().values()]).norm()), rel=1e-6)
        assert all(same[name].equal(each) for name, each in whole().items())


def test_a_process_holds_one_whole_matrix_at_a_time():
    def work(world):
        shards, did = Shards(world, world.mesh(torch.device("cpu")), SHAPES), []
        all_to_all = world.all_to_all
        world.all_to_all = lambda *given: did.append("sent") or all_to_all(*given)
        held = {name: each[shards.rows(name, world.rank)] for name, each in whole().items()}
        stacks = [Stack(name, each, MAPS[name]) for name, each in held.items()]
        shards.made(stacks, lambda given: did.append("made") or make(given))
        return did

    assert together(2, work) == [["sent", "made", "sent"] * 2] * 2


def test_every_row_belongs_to_one_process():
    class World:
        size = 4

    shards = Shards(World(), None, SHAPES)
    for name, shape in SHAPES.items():
        rows = [range(shape[0])[shards.rows(name, rank)] for rank in range(4)]
        assert [row for some in rows for row in some] == list(range(shape[0]))
