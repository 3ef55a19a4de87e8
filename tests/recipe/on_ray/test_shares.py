"""What each worker gets of a cluster."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.errors import PolyheadError
from polyhead.recipe.on_ray.config import RayConfig
from polyhead.recipe.on_ray.shares import Machine, Shares, divide, machines_of

MACHINES = st.lists(st.builds(Machine, st.integers(0, 12), st.integers(0, 4)), max_size=4)
SOME = st.none() | st.integers(1, 6)
CONFIGS = st.builds(RayConfig, workers=SOME, cpus=SOME, gpus=st.none() | st.integers(0, 1))


def fit(machines: list[Machine], shares: Shares) -> bool:
    """Whether all workers find a place when they are put one after the other wherever there is one."""
    free = [[each.cpus, each.gpus] for each in machines]
    for _ in range(shares.workers):
        place = next((each for each in free if each[0] >= shares.cpus and each[1] >= shares.gpus), None)
        if place is None:
            return False
        place[0] -= shares.cpus
        place[1] -= shares.gpus
    return True


@given(MACHINES, CONFIGS)
def test_workers_fit_the_cluster_and_get_what_was_asked_for_or_nothing_does(machines, config):
    try:
        shares = divide(machines, config)
    except PolyheadError:
        smallest = Shares(config.workers or 1, config.cpus or 1, config.gpus or 0)
        assert not fit(machines, smallest)
        return
    assert fit(machines, shares)
    for name in ("workers", "cpus", "gpus"):
        asked = getattr(config, name)
        assert getattr(shares, name) == asked or asked is None


@given(MACHINES, CONFIGS)
def test_no_worker_could_have_more_cpus(machines, config):
    try:
        shares = divide(machines, config)
    except PolyheadError:
        return
    if config.cpus is None:
        assert not fit(machines, Shares(shares.workers, shares.cpus + 1, shares.gpus))


@pytest.mark.parametrize(
    ("machines", "config", "expected"),
    [
        ([Machine(8, 0)], {}, "1 worker with 8 CPUs each"),
        ([Machine(8, 0), Machine(6, 0), Machine(0, 0)], {}, "2 workers with 6 CPUs each"),
        ([Machine(8, 0)], {"workers": 3}, "3 workers with 2 CPUs each"),
        ([Machine(16, 4), Machine(16, 4)], {}, "8 workers with 4 CPUs and 1 GPU each"),
        ([Machine(16, 4), Machine(16, 4)], {"gpus": 0}, "2 workers with 16 CPUs each"),
        ([Machine(16, 1)], {"workers": 2}, "2 workers with 8 CPUs each"),
        ([Machine(16, 2)], {"cpus": 9}, "1 worker with 9 CPUs and 1 GPU each"),
    ],
)
def test_what_is_left_open_follows_from_the_cluster(machines, config, expected):
    assert str(divide(machines, RayConfig(**config))) == expected


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"workers": 3, "cpus": 2}, "room for 2 of 3 workers with 2 CPUs each, as it has 4 CPUs and 0 GPUs on 1 mac"),
        ({"gpus": 1}, "room for 0 of 1 worker with 1 CPU and 1 GPU each"),
        ({"workers": 9}, "room for 4 of 9 workers with 1 CPU each"),
    ],
)
def test_too_small_a_cluster_is_refused_in_a_sentence(config, message):
    with pytest.raises(PolyheadError, match=message):
        divide([Machine(4, 0)], RayConfig(**config))


def test_only_machines_that_are_there_count():
    nodes = [
        {"Alive": True, "Resources": {"CPU": 4.0, "memory": 5.0}},
        {"Alive": False, "Resources": {"CPU": 4.0}},
        {"Alive": True, "Resources": {"CPU": 2.0, "GPU": 1.0}},
    ]
    assert machines_of(nodes) == [Machine(4, 0), Machine(2, 1)]
