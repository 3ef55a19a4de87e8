"""One thread a model: together what can go together, nothing mixed up, nothing done for nobody."""

import random
import threading

import pytest

from polyhead.server.batcher import Batcher, Unwanted
from polyhead.server.metrics import Metrics
from polyhead.server.problems import Problem, problem_of
from polyhead.server.settings import ServerConfig
from polyhead.server.waiting import Wish


@pytest.fixture
def make(echo):
    """Settings → a batcher in front of the echo; all are closed at the end."""
    made = []

    def start(**settings):
        made.append(Batcher("echo", echo.use, ServerConfig(**settings), Metrics()))
        return made[-1]

    yield start
    echo.may_go.set()
    for batcher in made:
        batcher.close()


def answers(future):
    return [each.text for each in future.result(10)]


def test_what_waits_meanwhile_is_decoded_together(echo, make):
    batcher = make()
    first = batcher.translate(["one"], Wish())
    assert echo.begun.wait(10)
    others = [batcher.translate([text], Wish()) for text in ("two", "three", "four")]
    echo.may_go.set()
    assert answers(first) == ["[one]"]
    assert [answers(other) for other in others] == [["[two]"], ["[three]"], ["[four]"]]
    assert echo.seen == [["one"], ["two", "three", "four"]]


def test_a_request_may_be_decoded_in_several_batches(echo, make):
    echo.may_go.set()
    texts = ["x" * length for length in (1, 40, 3, 80, 2)]
    assert answers(make(batch_tokens=10).translate(texts, Wish())) == [f"[{text}]" for text in texts]
    assert len(echo.seen) >= 3


def test_many_clients_at_once_each_get_their_own_answers(echo, make):
    batcher = make(batch_tokens=20)
    echo.may_go.set()
    wrong = []

    def client(number):
        draw = random.Random(number)
        for turn in range(20):
            texts = [f"{number}.{turn}.{i}" * draw.randint(1, 9) for i in range(draw.randint(1, 4))]
            if answers(batcher.translate(texts, Wish(n_best=draw.randint(1, 2)))) != [f"[{text}]" for text in texts]:
                wrong.append(number)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not wrong


def test_who_leaves_before_the_decoding_costs_nothing(echo, make):
    batcher = make()
    first = batcher.translate(["one"], Wish())
    assert echo.begun.wait(10)
    left, stays = batcher.translate(["left"], Wish()), batcher.translate(["stays"], Wish())
    assert left.cancel()
    echo.may_go.set()
    assert answers(first) == ["[one]"]
    assert answers(stays) == ["[stays]"]
    assert echo.seen == [["one"], ["stays"]]


def test_a_search_that_nobody_waits_for_ends_at_its_next_step(echo, make):
    batcher = make()
    future = batcher.translate(["one"], Wish())
    assert echo.begun.wait(10)
    assert not echo.given_up.wait(0.05)
    assert future.cancel()
    assert echo.given_up.wait(10)
    echo.may_go.set()
    assert answers(batcher.translate(["two"], Wish())) == ["[two]"]


def test_an_error_reaches_its_clients_and_the_thread_goes_on(echo, make):
    batcher = make()
    echo.may_go.set()
    with pytest.raises(ValueError, match="broken"):
        batcher.translate(["fine", "broken"], Wish()).result(10)
    assert answers(batcher.translate(["again"], Wish())) == ["[again]"]


class Panic(BaseException):
    """What a library in another language may raise: no Exception."""


@pytest.mark.parametrize("kind", [Panic, SystemExit, KeyboardInterrupt])
def test_what_is_no_exception_reaches_its_clients_as_one_and_the_thread_goes_on(echo, make, kind):
    def fail(*_, **__):
        raise kind("broken")

    batcher = make()
    echo.may_go.set()
    echo.translate, translate = fail, echo.translate
    for future in (batcher.translate(["one", "two"], Wish()), batcher.run(fail)):
        error = future.exception(10)
        assert isinstance(error, RuntimeError)
        assert isinstance(error.__cause__, kind)
        assert str(error) == f"the model's thread had {kind.__name__}: broken"
        assert problem_of(error).code == "internal"
    echo.translate = translate
    assert answers(batcher.translate(["again"], Wish())) == ["[again]"]


def test_errands_are_run_alone(echo, make):
    batcher = make()
    echo.may_go.set()
    assert batcher.run(lambda translator: translator is echo).result(10)

    def fail(translator):
        raise Unwanted

    with pytest.raises(Unwanted):
        batcher.run(fail).result(10)


def test_a_full_queue_says_when_to_come_back(echo, make):
    batcher = make(max_waiting=3)
    batcher.translate(["one"], Wish())
    assert echo.begun.wait(10)
    left = batcher.translate(["left", "left too"], Wish())
    batcher.translate(["two"], Wish())
    with pytest.raises(Problem) as full:
        batcher.translate(["three"], Wish())
    assert full.value.code == "queue_full"
    assert 1 <= int(full.value.headers["Retry-After"]) <= 60
    left.cancel()
    assert batcher.translate(["three"], Wish()), "who has left makes room"
    with pytest.raises(Problem) as too_many:
        batcher.translate(["x"] * 4, Wish())
    assert too_many.value.code == "too_large"


def test_closing_finishes_what_waits_and_takes_nothing_new(echo, make):
    batcher = make()
    futures = [batcher.translate([text], Wish()) for text in ("one", "two")]
    assert echo.begun.wait(10)
    threading.Timer(0.05, echo.may_go.set).start()
    batcher.close()
    assert [answers(future) for future in futures] == [["[one]"], ["[two]"]]
    with pytest.raises(Problem, match="shutting down"):
        batcher.translate(["three"], Wish())


def test_no_texts_need_no_model(echo, make):
    assert make().translate([], Wish()).result(1) == []
    assert not echo.seen


def test_a_working_batcher_tidies_now_and_then(echo, monkeypatch):
    tidied = threading.Semaphore(0)
    monkeypatch.setattr("polyhead.server.batcher.trim", tidied.release)
    monkeypatch.setattr("polyhead.server.batcher.TIDY_EVERY", 0.0)
    echo.may_go.set()
    worker = Batcher("echo", echo.use, ServerConfig(), Metrics())
    for _ in range(2):
        worker.translate(["bado"], Wish()).result(20)
        assert tidied.acquire(timeout=20)
    monkeypatch.setattr("polyhead.server.batcher.TIDY_EVERY", 1000.0)
    worker.translate(["bado"], Wish()).result(20)
    worker.close()
    assert not tidied.acquire(blocking=False)
