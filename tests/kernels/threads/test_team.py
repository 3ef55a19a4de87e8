"""Work that threads share is all done, once, and gives the same numbers; nobody waits for a helper who isn't there."""

import threading
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhead.engine.pack import pack_float32, pack_int8
from polyhead.hardware import cpu_features
from polyhead.kernels.arrays.aligned import zeros
from polyhead.kernels.arrays.unowned import unowned
from polyhead.kernels.kernel import kernel
from polyhead.kernels.linear.packed import multiply
from polyhead.kernels.threads import atomics, team
from polyhead.kernels.threads.team import ALONE, LINE, MEMBERS, Board, board, has_helpers, lead


@kernel
def _count(member: int, first: int, last: int, given: Any) -> None:
    times, who = given
    for number in range(first, last):
        times[number] += 1
        who[number] = member


_shared = atomics.task(_count)


@kernel
def count(board: Board, times: Any, who: Any) -> None:
    lead(board, _shared(unowned((times, who))), times.shape[0])


def board_of(members: int) -> Board:
    return zeros((MEMBERS + LINE * members,), np.int64)


@pytest.mark.parametrize("members", [1, 2, 3, 4])
@pytest.mark.parametrize("numbers", [0, 1, 3, 1000])
def test_without_its_helpers_the_leader_does_everything(members: int, numbers: int) -> None:
    times, who, one = np.zeros(numbers, np.int64), np.zeros(numbers, np.int64), board_of(members)
    for _ in range(3):
        count(one, times, who)
    assert times.tolist() == [3] * numbers
    assert not who.any()


def test_helpers_do_their_share_and_every_number_is_done_once() -> None:
    count(board_of(1), *np.zeros((2, 1), np.int64))  # compiled now, not while helpers lose their patience
    times, who, one, jobs = np.zeros(1000, np.int64), np.zeros(1000, np.int64), board_of(3), 5_000
    helpers = dict[int, threading.Thread]()
    helped, end = set[int](), time.monotonic() + 60
    done = 0
    while done < jobs or (len(helped) < 3 and time.monotonic() < end):
        for member in (1, 2):
            if member not in helpers or not helpers[member].is_alive():  # one that has waited long goes
                helpers[member] = threading.Thread(target=team._help, args=(one, member))
                helpers[member].start()
        for _ in range(100):
            count(one, times, who)
            done += 1
        helped |= set(who.tolist())
    team._dismiss(one)
    for helper in helpers.values():
        helper.join(30)
        assert not helper.is_alive()
    assert times.tolist() == [done] * 1000
    assert helped == {0, 1, 2}


def test_a_helper_for_whom_there_is_nothing_goes() -> None:
    start = time.monotonic()
    team._help(board_of(2), 1)
    assert time.monotonic() - start < 30


@pytest.mark.skipif("avx2" not in cpu_features(), reason="this CPU has no AVX2")
@given(rows=st.integers(0, 20), inputs=st.integers(1, 40), outputs=st.integers(1, 400), seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_a_team_gives_the_numbers_of_one(rows: int, inputs: int, outputs: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    weight, bias = draw.standard_normal((outputs, 4 * inputs), np.float32), draw.standard_normal(outputs, np.float32)
    x = draw.standard_normal((rows, 4 * inputs), np.float32)
    for pack in (pack_int8, pack_float32):
        product = pack([lambda: (weight, bias)], lambda: None)
        together, alone = np.full((2, rows, outputs), np.nan, np.float32)
        multiply(x, product, 0, alone, ALONE)
        with team.team(3):
            multiply(x, product, 0, together, board())
        np.testing.assert_array_equal(together, alone)


def test_there_is_one_team_at_a_time_and_none_afterwards() -> None:
    def elsewhere() -> None:
        with team.team(2):
            found.append(has_helpers(board()))

    found: list[bool] = []
    with team.team(2):
        assert has_helpers(board())
        other = threading.Thread(target=elsewhere)
        other.start()
        other.join()
    assert not has_helpers(board())
    elsewhere()
    assert found == [False, True]


def test_an_error_ends_a_team_too() -> None:
    def fail() -> None:
        with team.team(2):
            assert has_helpers(board())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with team.team(2):
        assert has_helpers(board())


@kernel
def _refuse(member: int, first: int, last: int, given: Any) -> None:
    (wrong,) = given
    for number in range(first, last):
        if number == wrong:
            raise ValueError("a number that is not wanted")


_all_refused = team.shared(_refuse)


@kernel
def refuse(board: Board, count: int, wrong: int) -> None:
    """Raises an error at one of its numbers."""
    _all_refused(board, count, (wrong,))


@pytest.mark.parametrize("wrong", [0, 5, 9])
def test_an_error_in_any_share_reaches_who_has_asked(wrong: int) -> None:
    with pytest.raises(ValueError, match="not wanted"):
        refuse(ALONE, 10, wrong)
    refuse(ALONE, 10, 10)
    with team.team(3):
        for _ in range(20):
            with pytest.raises(RuntimeError, match="has raised an error in its share"):
                refuse(board(), 10, wrong)
            refuse(board(), 10, 10)


def test_helpers_come_only_for_who_has_use_for_them() -> None:
    with team.team(2):
        assert not has_helpers(team.board_in_use())
        assert has_helpers(board())
        assert has_helpers(team.board_in_use())
    assert not has_helpers(team.board_in_use())


def test_one_core_is_no_team() -> None:
    with team.team(1):
        assert not has_helpers(board())
