"""What a launcher says in the environment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.errors import PolyheadError
from polyhead.training.joining import joined
from polyhead.training.place import NEEDED, Place
from polyhead.training.world import ALONE

TORCHRUN = {
    "RANK": "3",
    "WORLD_SIZE": "4",
    "LOCAL_RANK": "1",
    "LOCAL_WORLD_SIZE": "2",
    "MASTER_ADDR": "localhost",
    "MASTER_PORT": "29500",
    "TORCHELASTIC_RESTART_COUNT": "2",
    "TORCHELASTIC_USE_AGENT_STORE": "True",
}


def test_torchrun_says_everything():
    assert Place.of(TORCHRUN) == Place(3, 4, 1, 2, "localhost", 29500, 2, True)


def test_another_launcher_need_not_say_which_machine_it_is():
    assert Place.of({name: TORCHRUN[name] for name in NEEDED}) == Place(3, 4, 3, 4, "localhost", 29500, 0, False)


@pytest.mark.parametrize("missing", NEEDED)
def test_without_a_launcher_there_is_no_place(missing, monkeypatch):
    assert Place.of({name: value for name, value in TORCHRUN.items() if name != missing}) is None
    for name in NEEDED:
        monkeypatch.delenv(name, raising=False)
    with joined() as world:
        assert world is ALONE


@given(
    st.sampled_from(["RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_PORT"]),
    st.one_of(st.text(max_size=12), st.integers(-5, 10**12).map(str)),
)
def test_what_no_launcher_says_is_refused_in_one_sentence(name, value):
    most = {"RANK": 3, "LOCAL_RANK": 1, "MASTER_PORT": 65_535}.get(name, 999_999_999)
    least = {"WORLD_SIZE": 4, "LOCAL_WORLD_SIZE": 2}.get(name, 0)
    if name == "LOCAL_WORLD_SIZE":
        most = 4
    if value.isdecimal() and len(value) < 10 and least <= int(value) <= most:
        assert Place.of({**TORCHRUN, name: value}) is not None
    else:
        with pytest.raises(PolyheadError, match=name) as refused:
            Place.of({**TORCHRUN, name: value})
        assert len(str(refused.value)) <= 300
